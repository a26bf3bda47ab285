#include "lesson/lesson.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/folder.h"
#include "base/text.h"
#include "lesson/guess.h"
#include "lesson/lesson_assets.h"
#include "lesson/lesson_data.h"
#include "lesson/lesson_page.h"
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

static struct lesson_value number_value(const char *name, size_t number)
{
    struct lesson_value value = {.name = name};
    snprintf(value.text, sizeof(value.text), "%zu", number);
    return value;
}

#define N_VALUE 14
static void fill_values(const struct lesson_request *request, const struct lesson_runs *runs,
                        struct lesson_value value[N_VALUE])
{
    const struct run *run = runs->run;
    value[0] = number_value("n_run", runs->n_run);
    value[1] = number_value("n_embd", run_config(run)->n_embd);
    value[2] = number_value("n_layer", run_config(run)->n_layer);
    value[3] = number_value("n_head", run_config(run)->n_head);
    value[4] = number_value("n_token", run_config(run)->seq_len);
    value[5] = number_value("n_step", run->n_step);
    value[6] = number_value("map_seed", (size_t)runs->seed[0]);
    value[7] = (struct lesson_value){.name = "version"};
    snprintf(value[7].text, sizeof(value[7].text), "%s", request->version);
    value[8] = (struct lesson_value){.name = "seeds"};
    seeds_text(runs, value[8].text, sizeof(value[8].text));
    value[9] = number_value("batch", run_config(run)->batch_size);
    value[10] = number_value("n_train", run_config(run)->n_train);
    value[11] = number_value("n_epoch", run_config(run)->epochs);
    value[12] = number_value("head_width", run_config(run)->n_embd / run_config(run)->n_head);
    value[13] = (struct lesson_value){.name = "frequent"};
    snprintf(value[13].text, sizeof(value[13].text), "%.3f",
             guess_frequent(run_config(run)->seq_len, run_config(run)->task->n_answer));
}

/* ---- writing ---- */

static enum status page_path(const struct lesson_request *request, char path[PATH_SIZE],
                             struct error *err)
{
    bool first = strcmp(request->language, LESSON_LANGUAGE) == 0;
    return path_format(path, err, "%s/lesson/" LESSON_NAME "%s%s.html", request->out,
                       first ? "" : ".", first ? "" : request->language);
}

static enum status write_page(const struct lesson_request *request, const struct lesson_runs *runs,
                              const struct lesson_texts *texts, struct lesson_summary *summary,
                              struct error *err)
{
    struct text page = {0};
    struct lesson_value value[N_VALUE];
    fill_values(request, runs, value);
    json_t *data = lesson_data(runs, texts);
    enum status status =
        lesson_page_append(&page, lesson_template, texts, value, N_VALUE, data, err);
    if (status == STATUS_OK) {
        status = page_path(request, summary->page, err);
    }
    if (status == STATUS_OK) {
        status = text_write_unsynced(&page, summary->page, err);
    }
    json_decref(data);
    text_free(&page);
    return status;
}

static enum status write_all(const struct lesson_request *request, const struct lesson_runs *runs,
                             const struct lesson_texts *texts, struct lesson_summary *summary,
                             struct error *err)
{
    char folder[PATH_SIZE];
    summary->n_run = runs->n_run;
    summary->n_missing = runs->n_missing;
    enum status status = path_format(folder, err, "%s/lesson", request->out);
    if (status == STATUS_OK) {
        status = folder_create(folder, err);
    }
    if (status == STATUS_OK) {
        status = write_page(request, runs, texts, summary, err);
    }
    if (status == STATUS_OK && request->slides) {
        status = path_format(summary->slides, err, "%s/slides", folder);
    }
    if (status == STATUS_OK && request->slides) {
        status = slides_write(runs, texts, summary->slides, &summary->n_slide, summary->note,
                              sizeof(summary->note), err);
    }
    return status;
}

enum status lesson_write(const struct lesson_request *request, struct lesson_summary *summary,
                         struct error *err)
{
    struct lesson_runs runs = {0};
    struct lesson_texts texts;
    *summary = (struct lesson_summary){0};
    enum status status = lesson_texts_read(request->language, &texts, err);
    if (status == STATUS_OK) {
        status = lesson_runs_load(request->out, request->config, request->n_config, &runs, err);
    }
    if (status == STATUS_OK) {
        status = write_all(request, &runs, &texts, summary, err);
    }
    lesson_runs_free(&runs);
    lesson_texts_free(&texts);
    return status;
}
