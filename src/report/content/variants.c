/* variants: what each variant learns with, computed from its row. */
#include "report/content/part.h"
#include "report/content/topics.h"
#include "report/content/values.h"

static void add_variant(struct table *table, const struct group *group)
{
    const struct run *run = group->run[0];
    const struct variant *variant = &run_config(run)->variant;
    table_row(table, facets_tag(group_facets(group)), false);
    table_text(table, run->variant_name);
    table_text(table, run->variant_id);
    table_integer(table, (long long)variant_n_slot(variant));
    if (run->record.n_param > 0) {
        table_integer(table, run->record.n_param);
    } else {
        table_missing(table);
    }
    table_text(table, variant_product_symmetric(variant) ? "symmetric" : "any");
    table_text(table, variant_scores_symmetric(variant) ? "symmetric" : "any");
}

void say_variants_of_part(struct document *document, const struct material *material, size_t number)
{
    static const struct column columns[] = {{.title = "variant", .look = LOOK_HEAD},
                                            {.title = "id", .look = LOOK_CODE},
                                            {.title = "projections for Q, K, V"},
                                            {.title = "parameters"},
                                            {.title = "Q K^T"},
                                            {.title = "scores that enter the softmax"}};
    const struct groups *variants = &material->part[number].variants;
    struct table *table = table_create(columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < variants->n_group; i++) {
        add_variant(table, &variants->group[i]);
    }
    document_heading(document, 4, "What each variant learns with");
    document_table(document, table, "What each variant learns with", NULL);
}
