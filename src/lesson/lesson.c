#include "lesson/lesson.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/folder.h"
#include "base/text.h"
#include "lesson/guess.h"
#include "lesson/lesson_assets.h"
#include "lesson/lesson_data.h"
#include "lesson/slides.h"

/* ---- what texts say of the runs ---- */

/* "0-7" for a list without gaps, else "0, 2, 5". */
static void seeds_text(const struct lesson_runs *runs, char *text, size_t size)
{
    const long long *seed = runs->seed;
    size_t n = runs->n_seed;
    if (n > 1 && seed[n - 1] - seed[0] == (long long)n - 1) {
        snprintf(text, size, "%lld-%lld", seed[0], seed[n - 1]);
        return;
    }
    text[0] = '\0';
    for (size_t i = 0; i < n; i++) {
        size_t used = strlen(text);
        snprintf(text + used, size - used, "%s%lld", i ? ", " : "", seed[i]);
    }
}

/* ---- writing ---- */

static enum status page_path(const struct lesson_request *request, char path[PATH_SIZE],
                             struct error *err)
{
    bool first = strcmp(request->language, LESSON_LANGUAGE) == 0;
    return path_format(path, err, "%s/lesson/" LESSON_NAME "%s%s.html", request->out,
                       first ? "" : ".", first ? "" : request->language);
}

static enum status append_page(const struct lesson_request *request, const struct lesson_runs *runs,
                               const struct lesson_texts *texts, struct text *page,
                               struct error *err)
{
    enum { VERSION, SEEDS, FREQUENT };
    const struct config *config = run_config(runs->run);
    struct lesson_value value[] = {[VERSION] = {.name = "version"},
                                   [SEEDS] = {.name = "seeds"},
                                   [FREQUENT] = {.name = "frequent"},
                                   lesson_number("n_run", runs->n_run),
                                   lesson_number("n_embd", config->n_embd),
                                   lesson_number("n_layer", config->n_layer),
                                   lesson_number("n_head", config->n_head),
                                   lesson_number("n_token", config->seq_len),
                                   lesson_number("n_step", runs->run->n_step),
                                   lesson_number("map_seed", (size_t)runs->seed[0]),
                                   lesson_number("batch", config->batch_size),
                                   lesson_number("n_train", config->n_train),
                                   lesson_number("n_epoch", config->epochs),
                                   lesson_number("head_width", config->n_embd / config->n_head)};
    snprintf(value[VERSION].text, sizeof value->text, "%s", request->version);
    seeds_text(runs, value[SEEDS].text, sizeof value->text);
    snprintf(value[FREQUENT].text, sizeof value->text, "%.3f",
             guess_frequent(config->seq_len, config->task->n_answer));
    json_t *data = lesson_data(runs, texts);
    enum status status = lesson_page_append(page, lesson_template, texts, value,
                                            sizeof value / sizeof *value, data, err);
    json_decref(data);
    return status;
}

static enum status write_page(const struct lesson_request *request, const struct lesson_runs *runs,
                              const struct lesson_texts *texts, const char *path, struct error *err)
{
    struct text page = {0};
    enum status status = append_page(request, runs, texts, &page, err);
    if (status == STATUS_OK) {
        status = text_write_unsynced(&page, path, err);
    }
    text_free(&page);
    return status;
}

static enum status write_all(const struct lesson_request *request, struct lesson_runs *runs,
                             struct lesson_texts *texts, struct lesson_summary *summary,
                             struct error *err)
{
    char folder[PATH_SIZE];
    TRY(lesson_texts_read(request->language, texts, err));
    TRY(lesson_runs_load(request->out, request->config, request->n_config, runs, err));
    summary->n_run = runs->n_run;
    summary->n_missing = runs->n_missing;
    TRY(path_format(folder, err, "%s/lesson", request->out));
    TRY(folder_create(folder, err));
    TRY(page_path(request, summary->page, err));
    TRY(write_page(request, runs, texts, summary->page, err));
    if (!request->slides) {
        return STATUS_OK;
    }
    TRY(path_format(summary->slides, err, "%s/slides", folder));
    return slides_write(runs, texts, summary->slides, &summary->n_slide, summary->note,
                        sizeof summary->note, err);
}

enum status lesson_write(const struct lesson_request *request, struct lesson_summary *summary,
                         struct error *err)
{
    struct lesson_runs runs = {0};
    struct lesson_texts texts = {0};
    *summary = (struct lesson_summary){0};
    enum status status = write_all(request, &runs, &texts, summary, err);
    lesson_runs_free(&runs);
    lesson_texts_free(&texts);
    return status;
}
