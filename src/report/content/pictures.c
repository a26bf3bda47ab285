#include "report/content/pictures.h"

#include "report/content/confusion_sheet.h"
#include "report/content/image_sheets.h"
#include "report/images/rollout.h"

void say_class_token(struct document *document, const struct group *setting)
{
    struct variant_sheets sheets;
    if (variant_sheets_make(setting, &sheets, NULL) != STATUS_OK) {
        document->failed = true;
        return;
    }
    if (!sheets.first) {
        return;
    }
    const struct config *config = run_config(sheets.first);
    document_paragraph(
        document, TONE_PLAIN,
        "What the class token sees of the same test images (seed %lld), a variant a column: "
        "attention rollout (Abnar and Zuidema, arXiv 2005.00928) through all layers. A rollout "
        "keeps half of a token in each layer, so that uniform attention in every layer gives a "
        "patch %.4f of the whole; that, not 1/T, is 1 on its scale.",
        run_seed(sheets.first), rollout_uniform(config->n_layer, config->seq_len));
    document_sheet(document, sheets.rollout);
    document_begin(document, GROUP_FOLD, NULL, "Attention from the class token in the last layer");
    document_sheet(document, sheets.last_layer);
    document_end(document);
}

static const struct run *first_finished(const struct group *group)
{
    for (size_t i = 0; i < group->n_run; i++) {
        if (run_is_ok(group->run[i])) {
            return group->run[i];
        }
    }
    return NULL;
}

void say_confusions(struct document *document, const struct group *setting, size_t *page_room)
{
    struct groups cells = groups_by(setting, FACTOR_BIT(VARIANT) | FACTOR_BIT(CELL));
    unsigned before = document->audience;
    size_t n_left_out = 0;
    document->failed |= cells.failed;
    document_begin(document, GROUP_FOLD, NULL, "Confusions of one run a row");
    for (size_t i = 0; i < cells.n_group; i++) {
        const struct run *run = first_finished(&cells.group[i]);
        struct sheet *sheet = run ? confusion_sheet(run) : NULL;
        if (sheet) {
            size_t size = sheet->panel ? sheet->panel[0].n_row * sheet->panel[0].n_column : 0;
            bool fits = size <= *page_room;
            *page_room -= fits ? size : 0;
            n_left_out += !fits;
            document_for(document, fits ? before : before & ~(unsigned)FOR_PAGE);
            document_sheet(document, sheet);
        }
    }
    if (n_left_out > 0) {
        document_for(document, FOR_PAGE);
        document_paragraph(document, TONE_NOTE,
                           "%zu confusion%s left out to keep this page small: see confusion-*.png "
                           "beside it.",
                           n_left_out, n_left_out == 1 ? "" : "s");
    }
    document_for(document, before);
    document_end(document);
    groups_free(&cells);
}
