/* Runs are small, so each is computed by one thread and several are under way at a time: twice as
 * fast on two processors as one run on both. What a run computes does not depend on that.
 */
#include "lab/baseline/baseline_train.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "base/threads.h"
#include "lab/baseline/baseline_tolerance.h"
#include "lab/record/provenance.h"
#include "lab/training/metrics.h"
#include "lab/training/train.h"
#include "nn/kernels/kernels.h"

static enum status out_of_memory(struct error *err)
{
    return error_set(err, STATUS_MEMORY, "out of memory for the runs of a baseline");
}

/* ---- plans ---- */

/* The keys that make a part: all but the seed. */
static json_t *part_keys(const struct config *config)
{
    json_t *keys = config_json(config);
    json_object_del(keys, "seed");
    return keys;
}

static struct baseline_part *part_of(struct baseline *baseline, const struct config *config)
{
    struct baseline_part *found = NULL;
    json_t *wanted = part_keys(config);
    for (size_t i = 0; i < baseline->n_part && !found; i++) {
        json_t *keys = part_keys(&baseline->part[i].config);
        found = json_equal(wanted, keys) ? &baseline->part[i] : NULL;
        json_decref(keys);
    }
    json_decref(wanted);
    return found;
}

/* name_part writes "reverse-kv", with a number where that is taken. */
static void name_part(const struct baseline *baseline, struct baseline_part *part)
{
    char id[CONFIG_ID_SIZE], name[BASELINE_NAME_SIZE - 8];
    memcpy(id, part->config.id, sizeof id);
    char *end = strrchr(id, '-'); /* the hash */
    *end = '\0';
    *strrchr(id, '-') = '\0'; /* the seed */
    snprintf(name, sizeof name, "%.100s", id);
    snprintf(part->name, sizeof part->name, "%s", name);
    for (unsigned n = 2; baseline_find_part(baseline, part->name) != part; n++) {
        snprintf(part->name, sizeof part->name, "%s-%u", name, n % 10000);
    }
}

static enum status list_tensors(struct baseline_part *part, struct error *err)
{
    struct model model;
    struct model_shape shape = config_shape(&part->config);
    enum status status = model_create(&model, &shape, err);
    if (status != STATUS_OK) {
        return status;
    }
    part->n_tensor = model.layout.n_tensor;
    part->tensor = calloc(part->n_tensor, sizeof *part->tensor);
    for (size_t i = 0; part->tensor && i < part->n_tensor; i++) {
        memcpy(part->tensor[i], model.layout.tensor[i].name, sizeof part->tensor[i]);
    }
    model_free(&model);
    return part->tensor ? STATUS_OK : out_of_memory(err);
}

/* baseline->part and part->run have room for all. */
static enum status add_run(struct baseline *baseline, const struct config *given, size_t n_most,
                           struct error *err)
{
    struct config config = *given;
    config.attention = ATTENTION_NONE;
    struct baseline_part *part = part_of(baseline, &config);
    enum status status = STATUS_OK;
    if (!part) {
        part = &baseline->part[baseline->n_part++];
        part->trained_here = true;
        part->config = config;
        part->task_version = config.task->version;
        part->n_step = config_steps(&config);
        part->run = calloc(n_most, sizeof *part->run);
        name_part(baseline, part);
        status = part->run ? list_tensors(part, err) : out_of_memory(err);
    }
    if (status == STATUS_OK) {
        part->run[part->n_run++].seed = config.seed;
    }
    return status;
}

enum status baseline_plan(const struct config *configs, size_t n_config, struct baseline *baseline,
                          struct error *err)
{
    *baseline = (struct baseline){.engine = ENGINE_VERSION};
    baseline->machine = provenance_machine(threads_available());
    baseline->build = provenance_build();
    baseline->part = calloc(n_config, sizeof *baseline->part);
    enum status status = baseline->part ? STATUS_OK : out_of_memory(err);
    for (size_t i = 0; i < n_config && status == STATUS_OK; i++) {
        status = add_run(baseline, &configs[i], n_config, err);
    }
    return status;
}

enum status baseline_plan_again(const struct baseline *like, const uint64_t *seed, size_t n_seed,
                                struct baseline *baseline, struct error *err)
{
    *baseline = (struct baseline){0};
    size_t n_config = 0, n = 0;
    for (size_t p = 0; p < like->n_part; p++) {
        n_config += seed ? n_seed : like->part[p].n_run;
        if (!like->part[p].trained_here) {
            return error_set(err, STATUS_DATA,
                             "part '%s' was trained by another program, which has to train it "
                             "again: give its curves with --curves",
                             like->part[p].name);
        }
    }
    struct config *configs = calloc(n_config + 1, sizeof *configs);
    if (!configs) {
        return out_of_memory(err);
    }
    for (size_t p = 0; p < like->n_part; p++) {
        const struct baseline_part *part = &like->part[p];
        for (size_t r = 0; r < (seed ? n_seed : part->n_run); r++) {
            configs[n] = part->config;
            configs[n++].seed = seed ? seed[r] : part->run[r].seed;
        }
    }
    enum status status = baseline_plan(configs, n_config, baseline, err);
    free(configs);
    if (status == STATUS_OK && baseline->n_part != like->n_part) {
        return error_set(err, STATUS_USAGE,
                         "the settings make one configuration of two parts of the baseline");
    }
    for (size_t p = 0; status == STATUS_OK && p < baseline->n_part; p++) {
        memcpy(baseline->part[p].name, like->part[p].name, sizeof baseline->part[p].name);
    }
    return status;
}

/* ---- one run ---- */

struct job {
    const struct baseline_options *options;
    const struct baseline_part *part;
    struct config config;
    struct baseline_run *run;
    bool failed; /* out of memory */
};

/* After 0, 1, 2, 4, 16, 64, ... steps: where a difference begins, the bits tell it at once. */
static bool weights_are_due(size_t n_done, size_t n_step)
{
    size_t next = 4;
    while (next < n_done) {
        next *= 4;
    }
    return n_done <= 2 || n_done == next || n_done == n_step;
}

static struct fingerprint *take_fingerprints(const struct engine *engine, const float *flat)
{
    const struct layout *layout = &engine_model(engine)->layout;
    struct fingerprint *print = calloc(layout->n_tensor, sizeof *print);
    for (size_t i = 0; print && i < layout->n_tensor; i++) {
        print[i] =
            baseline_fingerprint(flat + layout->tensor[i].offset, layout->tensor[i].n_element);
    }
    return print;
}

static void keep_weights(struct job *job, const struct train_moment *moment)
{
    struct baseline_run *run = job->run;
    struct baseline_weights *grown =
        realloc(run->weights, (run->n_weights + 1) * sizeof *run->weights);
    struct fingerprint *print = take_fingerprints(moment->engine, engine_param(moment->engine));
    job->failed = job->failed || !grown || !print;
    run->weights = grown ? grown : run->weights;
    if (grown) {
        run->weights[run->n_weights++] =
            (struct baseline_weights){.n_done = moment->n_done, .tensor = print};
    }
}

static void begin_run(struct job *job, const struct train_moment *moment)
{
    struct baseline_run *run = job->run;
    run->loss = calloc(moment->n_step + 1, sizeof *run->loss);
    run->grad_norm = calloc(moment->n_step + 1, sizeof *run->grad_norm);
    run->accuracy = calloc(moment->n_step + 1, sizeof *run->accuracy);
    job->failed = !run->loss || !run->grad_norm || !run->accuracy;
    keep_weights(job, moment);
}

static void keep_evaluation(struct baseline_run *run, const struct train_moment *moment)
{
    const struct evaluation *evaluation = moment->evaluation;
    run->evaluation[run->n_evaluation++] = (struct baseline_evaluation){
        .n_done = moment->n_done, .loss = evaluation->loss, .accuracy = evaluation->accuracy};
}

static void keep_step(struct job *job, const struct train_moment *moment)
{
    struct baseline_run *run = job->run;
    run->loss[run->n_point] = moment->loss;
    run->grad_norm[run->n_point] = moment->grad_norm;
    run->accuracy[run->n_point] = moment->accuracy;
    run->n_point++;
    run->diverged = moment->diverged;
    if (moment->n_done == 1) {
        run->gradient = take_fingerprints(moment->engine, engine_grad(moment->engine));
        job->failed = job->failed || !run->gradient;
    }
    if (!moment->diverged && weights_are_due(moment->n_done, moment->n_step)) {
        keep_weights(job, moment);
    }
}

static void watch(void *context, const struct train_moment *moment)
{
    struct job *job = context;
    if (moment->n_done == 0) {
        begin_run(job, moment);
    }
    if (job->failed) {
        return;
    }
    if (moment->evaluation) {
        keep_evaluation(job->run, moment);
    } else {
        keep_step(job, moment);
    }
}

/* ---- many runs ---- */

struct crew {
    const struct baseline_options *options;
    size_t n_done, n_run;
    enum status status; /* of the first failure */
    struct error err;
};

static int asked_to_stop(void *context)
{
    const struct baseline_options *options = ((const struct job *)context)->options;
    return options->stop ? options->stop(options->context) : 0;
}

static enum status make_run(struct job *job, const struct crew *crew, int threads,
                            struct error *err)
{
    struct train_hooks hooks = {.context = job, .watch = watch, .stop = asked_to_stop};
    job->options = crew->options;
    int signal_number = asked_to_stop(job);
    if (signal_number != 0) {
        return error_set(err, STATUS_INTERRUPTED, "stopped by signal %d", signal_number);
    }
    enum status status = train_watched(&job->config, crew->options->data, threads, &hooks, err);
    if (status == STATUS_OK && job->failed) {
        status = out_of_memory(err);
    }
    if (status == STATUS_OK) {
        baseline_settle(job->run);
    } else {
        error_prefix(err, "%s, seed %llu", job->part->name, (unsigned long long)job->run->seed);
    }
    return status;
}

static void finish_run(struct crew *crew, enum status status, const struct error *err)
{
#pragma omp critical(baseline_crew)
    {
        crew->n_done++;
        if (status != STATUS_OK && crew->status == STATUS_OK) {
            crew->status = status;
            crew->err = *err;
        }
        if (crew->options->progress) {
            crew->options->progress(crew->options->context, crew->n_done, crew->n_run);
        }
    }
}

static bool has_failed(struct crew *crew)
{
    bool failed;
#pragma omp critical(baseline_crew)
    failed = crew->status != STATUS_OK;
    return failed;
}

static enum status make_runs(struct job *job, size_t n_job, struct crew *crew, struct error *err)
{
    int threads = crew->options->threads > 0 ? crew->options->threads : threads_available();
    int at_a_time = n_job < (size_t)threads ? (int)n_job : threads;
#pragma omp parallel for schedule(dynamic, 1) num_threads(at_a_time) if (n_job > 1)
    for (size_t i = 0; i < n_job; i++) {
        struct error failure = {0};
        threads_flush_denormals();
        if (!has_failed(crew)) {
            enum status status = make_run(&job[i], crew, n_job > 1 ? 1 : threads, &failure);
            finish_run(crew, status, &failure);
        }
    }
    return crew->status == STATUS_OK ? STATUS_OK
                                     : error_set(err, crew->status, "%s", crew->err.text);
}

static size_t count_runs(const struct baseline *baseline)
{
    size_t n = 0;
    for (size_t p = 0; p < baseline->n_part; p++) {
        n += baseline->part[p].n_run;
    }
    return n;
}

/* list_jobs fills a job a run; the runs themselves are in place, or one behind the other. */
static void list_jobs(struct baseline *baseline, struct baseline_run *elsewhere, struct job *job)
{
    size_t n = 0;
    for (size_t p = 0; p < baseline->n_part; p++) {
        struct baseline_part *part = &baseline->part[p];
        for (size_t r = 0; r < part->n_run; r++, n++) {
            job[n] = (struct job){.part = part,
                                  .config = part->config,
                                  .run = elsewhere ? &elsewhere[n] : &part->run[r]};
            job[n].config.seed = job[n].run->seed = part->run[r].seed;
        }
    }
}

enum status baseline_train(struct baseline *baseline, const struct baseline_options *options,
                           struct error *err)
{
    size_t n_run = count_runs(baseline);
    struct job *job = calloc(n_run + 1, sizeof *job);
    if (!job) {
        return out_of_memory(err);
    }
    struct crew crew = {.options = options, .n_run = n_run};
    list_jobs(baseline, NULL, job);
    enum status status = make_runs(job, n_run, &crew, err);
    free(job);
    return status;
}

/* ---- harmless changes ---- */

/* Lanes, micro-batch, and every other SIMD level that this processor has. */
#define N_CUT 2

size_t baseline_n_change(void)
{
    size_t n_level = 0;
    while (kernels_at(n_level)) {
        n_level++;
    }
    return N_CUT + n_level - 1;
}

static size_t halved(size_t n)
{
    return n > 1 ? n / 2 : 2;
}

/* change_jobs changes all jobs, and names the change as it is for the first one. */
static void change_jobs(size_t change, struct job *job, size_t n_job,
                        char name[TOLERANCE_CHANGE_SIZE])
{
    for (size_t i = 0; i < n_job; i++) {
        struct config *config = &job[i].config;
        config->lanes = change == 0 ? halved(config->lanes) : config->lanes;
        config->micro_batch = change == 1 ? halved(config->micro_batch) : config->micro_batch;
    }
    if (change < N_CUT) {
        snprintf(name, TOLERANCE_CHANGE_SIZE, "half the %s", change ? "micro-batch" : "lanes");
    } else {
        const struct kernels *kernels = kernels_at(change - N_CUT);
        kernels_use(kernels);
        snprintf(name, TOLERANCE_CHANGE_SIZE, "SIMD level %s", kernels->level);
    }
}

/* Runs lie change by change, then part by part; a part wants its own, change by change. */
static enum status measure_parts(struct baseline *baseline, const struct baseline_run *changed,
                                 const char (*name)[TOLERANCE_CHANGE_SIZE], size_t n_change,
                                 struct error *err)
{
    size_t n_run = count_runs(baseline), first = 0;
    struct baseline_run *own = calloc(n_change * n_run + 1, sizeof *own);
    bool enough = own != NULL;
    for (size_t p = 0; enough && p < baseline->n_part; p++) {
        struct baseline_part *part = &baseline->part[p];
        for (size_t i = 0; i < n_change * part->n_run; i++) {
            own[i] = changed[i / part->n_run * n_run + first + i % part->n_run];
        }
        tolerance_free(part->tolerance);
        part->tolerance = tolerance_measure(part, own, name, n_change);
        enough = part->tolerance != NULL;
        first += part->n_run;
    }
    free(own);
    return enough ? STATUS_OK : out_of_memory(err);
}

enum status baseline_calibrate(struct baseline *baseline, const struct baseline_options *options,
                               struct error *err)
{
    char name[TOLERANCE_MAX_CHANGE][TOLERANCE_CHANGE_SIZE];
    size_t n_run = count_runs(baseline), n_change = baseline_n_change();
    struct baseline_run *changed = calloc(n_change * n_run + 1, sizeof *changed);
    struct job *job = calloc(n_run + 1, sizeof *job);
    enum status status = changed && job ? STATUS_OK : out_of_memory(err);
    struct crew crew = {.options = options, .n_run = n_change * n_run};
    for (size_t c = 0; c < n_change && status == STATUS_OK; c++) {
        list_jobs(baseline, changed + c * n_run, job);
        change_jobs(c, job, n_run, name[c]);
        status = make_runs(job, n_run, &crew, err);
        kernels_use(NULL);
    }
    if (status == STATUS_OK) {
        status = measure_parts(baseline, changed, (const char(*)[TOLERANCE_CHANGE_SIZE])name,
                               n_change, err);
    }
    for (size_t i = 0; changed && i < n_change * n_run; i++) {
        baseline_run_free(&changed[i]);
    }
    free(changed);
    free(job);
    return status;
}
