#include "lesson/lesson_data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lesson/guess.h"
#include "lesson/mislead.h"
#include "nn/cost.h"
#include "report/frame/run_files.h"
#include "report/statistics/published.h"
#include "report/write/html_parts.h"

/* ---- tasks and variants ---- */

static json_t *needed_json(const struct task *task, size_t n_token)
{
    json_t *array = json_array();
    for (size_t t = 0; t < n_token; t++) {
        json_array_append_new(array, json_integer(task_needed_key(task, t, n_token)));
    }
    return array;
}

static json_t *task_json(const struct task *task, size_t n_token)
{
    return json_pack("{s:s, s:s, s:s, s:s, s:o}", "name", task->name, "title", task->title,
                     "formula", task->summary, "example", task->example, "needed",
                     needed_json(task, n_token));
}

static json_t *tasks_json(const struct lesson_runs *runs)
{
    json_t *array = json_array();
    for (size_t i = 0; i < runs->n_task; i++) {
        json_array_append_new(
            array, task_json(run_config(runs->task[i])->task, run_config(runs->task[i])->seq_len));
    }
    return array;
}

static json_t *puzzles_json(void)
{
    static const char *const name[] = {"reverse", "shift", "swap", "copy"};
    json_t *array = json_array();
    for (size_t i = 0; i < sizeof name / sizeof(name[0]); i++) {
        json_array_append_new(array, task_json(task_find(name[i]), LESSON_PUZZLE_TOKEN));
    }
    return array;
}

static json_t *variants_json(const struct lesson_runs *runs)
{
    json_t *array = json_array();
    for (size_t i = 0; i < runs->n_variant; i++) {
        const struct run *run = runs->variant[i];
        json_array_append_new(array,
                              json_pack("{s:s, s:s, s:b, s:s, s:b}", "id", run->variant_id, "name",
                                        run->variant_name, "sharing", lesson_is_sharing(run),
                                        "sharing_id", run_config(run)->variant.sharing, "gram",
                                        variant_product_gram(&run_config(run)->variant)));
    }
    return array;
}

/* ---- runs ---- */

static json_t *loss_json(const struct run *run)
{
    size_t bucket = (run->n_curve + LESSON_MAX_POINT - 1) / LESSON_MAX_POINT;
    size_t n = bucket ? (run->n_curve + bucket - 1) / bucket : 0;
    float *mean = calloc(n + 1, sizeof *mean);
    for (size_t i = 0; mean && i < n; i++) {
        double sum = 0;
        size_t end = (i + 1) * bucket < run->n_curve ? (i + 1) * bucket : run->n_curve;
        for (size_t step = i * bucket; step < end; step++) {
            sum += run->curve[step];
        }
        mean[i] = (float)(sum / (double)(end - i * bucket));
    }
    json_t *loss = mean ? json_pack("{s:I, s:o}", "bucket", (json_int_t)(bucket ? bucket : 1),
                                    "data", html_base64(mean, n * sizeof *mean))
                        : NULL;
    free(mean);
    return loss;
}

/* The maps of every layer at one moment; NULL where they are not those of the configuration. */
static json_t *moment_json(const struct run *run, const struct snapshot *snapshot)
{
    const struct config *config = run_config(run);
    json_t *layers = json_array();
    for (size_t layer = 0; layer < config->n_layer; layer++) {
        struct maps maps;
        if (snapshot_read(run->folder, snapshot, layer, config->seq_len, &maps, NULL) !=
            STATUS_OK) {
            break;
        }
        if (maps.n_head == config->n_head) {
            size_t n = maps.n_head * maps.n_token * maps.n_token;
            json_array_append_new(layers, html_root_bytes(maps.head, n, 1));
        }
        maps_free(&maps);
    }
    if (json_array_size(layers) < config->n_layer) {
        json_decref(layers);
        return NULL;
    }
    return layers;
}

/* Of n moments max are kept, the last among them, equally far apart. */
static bool is_kept(size_t i, size_t n, size_t max)
{
    return n <= max || (i + 1) * max / n > i * max / n;
}

/* A run's attention maps, at most max_snapshot moments with the last among them: {n_layer, n_head,
 * n_token, steps, data: [moment][layer] html_root_bytes of [H,T,T]}; NULL where the run kept none.
 */
static json_t *maps_json(const struct run *run, size_t max_snapshot)
{
    const struct config *config = run_config(run);
    json_t *steps = json_array(), *data = json_array(), *maps = NULL;
    struct snapshots snapshots;
    snapshots_list(run->folder, &snapshots, NULL);
    for (size_t i = 0; i < snapshots.n; i++) {
        json_t *moment =
            is_kept(i, snapshots.n, max_snapshot) ? moment_json(run, &snapshots.at[i]) : NULL;
        if (moment) {
            json_array_append_new(steps, json_integer((json_int_t)snapshots.at[i].step));
            json_array_append_new(data, moment);
        }
    }
    if (json_array_size(steps) > 0) {
        maps = json_pack("{s:I, s:I, s:I, s:O, s:O}", "n_layer", (json_int_t)config->n_layer,
                         "n_head", (json_int_t)config->n_head, "n_token",
                         (json_int_t)config->seq_len, "steps", steps, "data", data);
    }
    json_decref(steps);
    json_decref(data);
    snapshots_free(&snapshots);
    return maps;
}

static bool has_pictures(const struct lesson_runs *runs, const struct run *run)
{
    return run_seed(run) == runs->seed[0] && run->curve;
}

/* As many moments of each run as the budget has room for. */
static size_t max_snapshot(const struct lesson_runs *runs)
{
    const struct config *first = run_config(runs->run);
    size_t moment = first->n_layer * first->n_head * first->seq_len * first->seq_len / 3 * 4 + 1;
    size_t n = 0;
    for (size_t i = 0; i < runs->n_run; i++) {
        n += has_pictures(runs, &runs->run[i]);
    }
    return n ? LESSON_MAP_BUDGET / (moment * n) : 0;
}

static json_t *run_json(const struct lesson_runs *runs, const struct run *run)
{
    double escape = run->measure[MEASURE_ESCAPE_STEP];
    json_t *object =
        json_pack("{s:s, s:I, s:I, s:I, s:o, s:o, s:s}", "id", run_id(run), "task",
                  (json_int_t)lesson_runs_task(runs, run), "variant",
                  (json_int_t)lesson_runs_variant(runs, run), "seed", (json_int_t)run_seed(run),
                  "accuracy", json_number(run->measure[MEASURE_TOKEN_ACCURACY]), "escape_step",
                  isfinite(escape) ? json_integer((json_int_t)escape) : json_null(), "hash",
                  run->record.weights_sha256 ? run->record.weights_sha256 : "");
    size_t n_moment = has_pictures(runs, run) ? max_snapshot(runs) : 0;
    json_t *maps = n_moment ? maps_json(run, n_moment) : NULL;
    if (maps) {
        json_object_set_new(object, "loss", loss_json(run));
        json_object_set_new(object, "maps", maps);
    }
    return object;
}

static json_t *runs_json(const struct lesson_runs *runs)
{
    json_t *array = json_array();
    for (size_t i = 0; i < runs->n_run; i++) {
        json_array_append_new(array, run_json(runs, &runs->run[i]));
    }
    return array;
}

static json_t *mislead_json(const struct lesson_runs *runs)
{
    struct mislead found = mislead_find(runs);
    return json_pack(
        "{s:b, s:I, s:I, s:I, s:[I, I, I], s:f, s:f, s:I, s:I, s:I, s:I, s:f}", "exists",
        found.exists, "task", (json_int_t)found.task, "variant", (json_int_t)found.variant, "other",
        (json_int_t)found.other, "seeds", (json_int_t)found.seed[0], (json_int_t)found.seed[1],
        (json_int_t)found.seed[2], "few", found.few, "all", found.all, "n_seed",
        (json_int_t)found.n_seed, "n_comparison", (json_int_t)found.n_comparison, "n_triple",
        (json_int_t)found.n_triple, "n_case", (json_int_t)found.n_case, "least", MISLEAD_LEAST);
}

/* ---- costs ---- */

static json_t *models_json(void)
{
    json_t *array = json_array();
    const struct cost_model *model;
    for (size_t i = 0; (model = cost_model_at(i)) != NULL; i++) {
        if (model->kind == COST_LANGUAGE) {
            json_array_append_new(array,
                                  json_pack("{s:s, s:I, s:I, s:I, s:I, s:I}", "name", model->name,
                                            "n_embd", (json_int_t)model->shape.n_embd, "n_layer",
                                            (json_int_t)model->shape.n_layer, "n_head",
                                            (json_int_t)model->shape.n_head, "context",
                                            (json_int_t)cost_model_context(model), "bytes",
                                            (json_int_t)model->bytes));
        }
    }
    return array;
}

static json_t *cache_variants_json(void)
{
    static const char *const id[] = {"qkv",
                                     "qk",
                                     "kv",
                                     "qv",
                                     "qkv_tied",
                                     "qkv:n_kv_head=4",
                                     "kv:n_kv_head=4",
                                     "qkv:n_kv_head=1",
                                     "kv:n_kv_head=1"};
    json_t *array = json_array();
    for (size_t i = 0; i < sizeof(id) / sizeof(id[0]); i++) {
        struct variant variant;
        char name[VARIANT_TEXT_SIZE];
        if (variant_parse(id[i], &variant, NULL) == STATUS_OK) {
            variant_name(&variant, name);
            json_array_append_new(array,
                                  json_pack("{s:s, s:s, s:I, s:I}", "id", id[i], "name", name,
                                            "roles", (json_int_t)variant_cache_roles(&variant),
                                            "n_kv_head", (json_int_t)variant.n_kv_head));
        }
    }
    return array;
}

/* ---- published ---- */

static json_t *published_json(const struct lesson_runs *runs)
{
    const struct run *run = runs->run;
    json_t *array = json_array();
    for (size_t i = 0; i < runs->n_variant; i++) {
        const char *id = runs->variant[i]->variant_id;
        json_array_append_new(
            array,
            json_pack(
                "{s:s, s:o, s:o, s:o, s:o, s:o}", "id", id, "paper",
                json_number(published_accuracy(PUBLISHED_PAPER, id, "reverse")), "reproduction",
                json_number(published_accuracy(PUBLISHED_REPRODUCTION, id, "reverse")), "same",
                json_number(
                    published_reverse(id, run_config(run)->n_embd, run_config(run)->seq_len)),
                "paper_sort", json_number(published_accuracy(PUBLISHED_PAPER, id, "sort")),
                "reproduction_sort",
                json_number(published_accuracy(PUBLISHED_REPRODUCTION, id, "sort"))));
    }
    return array;
}

json_t *lesson_data(const struct lesson_runs *runs, const struct lesson_texts *texts)
{
    return json_pack(
        "{s:s, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:f}", "format",
        LESSON_FORMAT, "pos_dim", (json_int_t)run_config(runs->run)->pos_dim, "colours",
        html_colours(), "texts", lesson_texts_json(texts, "js."), "tasks", tasks_json(runs),
        "puzzles", puzzles_json(), "variants", variants_json(runs), "runs", runs_json(runs),
        "mislead", mislead_json(runs), "models", models_json(), "cache_variants",
        cache_variants_json(), "published", published_json(runs), "frequent",
        guess_frequent(run_config(runs->run)->seq_len, run_config(runs->run)->task->n_answer));
}
