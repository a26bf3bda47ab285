/* every_setting: a few measures of every setting of a grid, where averages over it hide what
 * matters: at which sizes a task is learned at all.
 */
#include "report/content/topics.h"
#include "report/content/values.h"
#include "report/frame/sizes.h"

static struct table *table_of(const struct group *task, const struct groups *variants,
                              const struct sizes *sizes, enum measure measure)
{
    struct groups settings = groups_by(task, FACTOR_BIT(SETTING));
    struct groups cells = groups_by(task, FACTOR_BIT(SETTING) | FACTOR_BIT(VARIANT));
    struct table *table = table_create(NULL, 0);
    sizes_columns(sizes, table);
    for (size_t i = 0; i < variants->n_group; i++) {
        table_column(table, &(struct column){.title = variants->group[i].run[0]->variant_name});
    }
    for (size_t i = 0; i < settings.n_group; i++) {
        const struct group *setting = &settings.group[i];
        sizes_cells(sizes, table, setting);
        for (size_t k = 0; k < variants->n_group; k++) {
            size_t variant = variants->group[k].level[FACTOR_VARIANT];
            value_measure(table, groups_beside(&cells, setting, FACTOR_VARIANT, variant), measure);
        }
    }
    return table;
}

void say_every_setting(struct document *document, const struct material *material)
{
    static const enum measure told[] = {MEASURE_TOKEN_ACCURACY, MEASURE_ESCAPE_STEP,
                                        MEASURE_MEAN_TRAIN_LOSS};
    const struct group *sequences = frame_kind(material->frame, OF_SEQUENCES);
    if (material->n_part < 2) {
        return;
    }
    struct groups tasks = groups_by(sequences, FACTOR_BIT(TASK));
    struct groups variants = groups_by(sequences, FACTOR_BIT(VARIANT));
    struct sizes sizes = sizes_of(sequences);
    sizes.number = true;
    document_heading(document, 2, "Every setting");
    document_paragraph(document, TONE_PLAIN,
                       "Mean ± sample standard deviation over seeds; `-`: not run; `75 (2 of 3)`: "
                       "two of three seeds got there, at step 75 on average. The runs behind each "
                       "number are in `cells.csv`.");
    for (size_t i = 0; i < tasks.n_group; i++) {
        const char *title = run_task_title(tasks.group[i].run[0]);
        document_begin(document, GROUP_FOLD, NULL, "%s", title);
        for (size_t k = 0; k < sizeof told / sizeof *told; k++) {
            document_paragraph(document, TONE_PLAIN, "**%s**, %s", title,
                               measure_row(told[k])->title);
            document_table(document, table_of(&tasks.group[i], &variants, &sizes, told[k]), title,
                           NULL);
        }
        document_end(document);
    }
}
