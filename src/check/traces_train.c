/* Trainings are small, so each is computed by one thread and several are under way at a time: twice
 * as fast on two processors as one training on both. What is computed does not depend on that.
 */
#include "check/traces_train.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "base/threads.h"
#include "lab/record/provenance.h"
#include "lab/training/metrics.h"
#include "lab/training/train.h"
#include "nn/kernels/kernels.h"

static enum status no_memory(struct error *err)
{
    return error_memory(err, "training what is compared");
}

/* ---- plans ---- */

static bool same_but_for_the_seed(struct config a, const struct config *b)
{
    a.seed = b->seed;
    json_t *x = config_json(&a), *y = config_json(b);
    bool same = json_equal(x, y);
    json_decref(x);
    json_decref(y);
    return same;
}

/* name_cohort writes "reverse-kv", with a number where that is taken. */
static void name_cohort(const struct traces *traces, struct cohort *cohort)
{
    char id[CONFIG_ID_SIZE];
    memcpy(id, cohort->config.id, sizeof id);
    *strrchr(id, '-') = '\0'; /* the hash */
    *strrchr(id, '-') = '\0'; /* the seed */
    snprintf(cohort->name, sizeof cohort->name, "%.100s", id);
    for (unsigned n = 2; traces_cohort(traces, cohort->name) != cohort; n++) {
        snprintf(cohort->name, sizeof cohort->name, "%.100s-%u", id, n);
    }
}

static enum status list_tensors(struct cohort *cohort, struct error *err)
{
    struct model model;
    struct model_shape shape = config_shape(&cohort->config);
    TRY(model_create(&model, &shape, err));
    cohort->n_tensor = model.layout.n_tensor;
    cohort->tensor = calloc(cohort->n_tensor, sizeof *cohort->tensor);
    for (size_t i = 0; cohort->tensor && i < cohort->n_tensor; i++) {
        memcpy(cohort->tensor[i], model.layout.tensor[i].name, sizeof cohort->tensor[i]);
    }
    model_free(&model);
    return cohort->tensor ? STATUS_OK : no_memory(err);
}

/* traces->cohort and each cohort->trace have room for n_most. */
static enum status add_trace(struct traces *traces, struct config config, size_t n_most,
                             struct error *err)
{
    size_t p = 0;
    config.attention = ATTENTION_NONE;
    while (p < traces->n_cohort && !same_but_for_the_seed(config, &traces->cohort[p].config)) {
        p++;
    }
    struct cohort *cohort = &traces->cohort[p];
    if (p == traces->n_cohort) {
        traces->n_cohort++;
        cohort->trained_here = true;
        cohort->config = config;
        cohort->task_version = config.task->version;
        cohort->n_step = config_steps(&config);
        cohort->trace = calloc(n_most, sizeof *cohort->trace);
        name_cohort(traces, cohort);
        TRY(cohort->trace ? list_tensors(cohort, err) : no_memory(err));
    }
    cohort->trace[cohort->n_trace++] =
        (struct trace){.seed = config.seed, .n_tensor = cohort->n_tensor};
    return STATUS_OK;
}

/* The cohorts' list has room for n_most. */
static enum status begin_plan(struct traces *traces, size_t n_most, struct error *err)
{
    *traces = (struct traces){.engine = ENGINE_VERSION,
                              .machine = provenance_machine(threads_available()),
                              .build = provenance_build(),
                              .cohort = calloc(n_most, sizeof *traces->cohort)};
    return traces->cohort ? STATUS_OK : no_memory(err);
}

enum status traces_plan(const struct config *configs, size_t n_config, struct traces *traces,
                        struct error *err)
{
    TRY(begin_plan(traces, n_config, err));
    for (size_t i = 0; i < n_config; i++) {
        TRY(add_trace(traces, configs[i], n_config, err));
    }
    return STATUS_OK;
}

enum status traces_plan_again(const struct traces *like, const uint64_t *seed, size_t n_seed,
                              struct traces *traces, struct error *err)
{
    size_t n_most = seed ? like->n_cohort * n_seed : traces_count(like);
    TRY(begin_plan(traces, like->n_cohort, err));
    for (size_t p = 0; p < like->n_cohort; p++) {
        const struct cohort *cohort = &like->cohort[p];
        struct config config = cohort->config;
        if (!cohort->trained_here) {
            return error_set(err, STATUS_DATA,
                             "part '%s' was trained by another program, which has to train it "
                             "again: give its curves with --curves",
                             cohort->name);
        }
        for (size_t i = 0; i < (seed ? n_seed : cohort->n_trace); i++) {
            config.seed = seed ? seed[i] : cohort->trace[i].seed;
            TRY(add_trace(traces, config, n_most, err));
        }
    }
    if (traces->n_cohort != like->n_cohort) {
        return error_set(err, STATUS_USAGE,
                         "the settings make one configuration of two parts of the baseline");
    }
    for (size_t p = 0; p < traces->n_cohort; p++) {
        memcpy(traces->cohort[p].name, like->cohort[p].name, sizeof traces->cohort[p].name);
    }
    return STATUS_OK;
}

/* ---- one training ---- */

struct job {
    const struct traces_options *options;
    const struct cohort *cohort;
    struct config config;
    struct trace *trace;
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

static struct fingerprint *take_fingerprints(struct job *job, const struct engine *engine,
                                             const float *flat)
{
    const struct layout *layout = &engine_model(engine)->layout;
    struct fingerprint *print = calloc(layout->n_tensor, sizeof *print);
    for (size_t i = 0; print && i < layout->n_tensor; i++) {
        print[i] = fingerprint_of(flat + layout->tensor[i].offset, layout->tensor[i].n_element);
    }
    job->failed = job->failed || !print;
    return print;
}

static void keep_weights(struct job *job, const struct train_moment *moment)
{
    struct trace *trace = job->trace;
    struct trace_weights *grown =
        realloc(trace->weights, (trace->n_weights + 1) * sizeof *trace->weights);
    if (!grown) {
        job->failed = true;
        return;
    }
    trace->weights = grown;
    trace->weights[trace->n_weights++] = (struct trace_weights){
        .n_done = moment->n_done,
        .tensor = take_fingerprints(job, moment->engine, engine_param(moment->engine))};
}

static void keep_evaluation(struct trace *trace, const struct train_moment *moment)
{
    const struct evaluation *evaluation = moment->evaluation;
    trace->evaluation[trace->n_evaluation++] = (struct trace_evaluation){
        .n_done = moment->n_done, .loss = evaluation->loss, .accuracy = evaluation->accuracy};
}

static void keep_step(struct job *job, const struct train_moment *moment)
{
    struct trace *trace = job->trace;
    trace->curve[CURVE_LOSS][trace->n_point] = moment->loss;
    trace->curve[CURVE_GRAD_NORM][trace->n_point] = moment->grad_norm;
    trace->curve[CURVE_ACCURACY][trace->n_point] = moment->accuracy;
    trace->n_point++;
    trace->diverged = moment->diverged;
    if (moment->n_done == 1) {
        trace->gradient = take_fingerprints(job, moment->engine, engine_grad(moment->engine));
    }
    if (!moment->diverged && weights_are_due(moment->n_done, moment->n_step)) {
        keep_weights(job, moment);
    }
}

static void watch(void *context, const struct train_moment *moment)
{
    struct job *job = context;
    if (moment->n_done == 0) {
        for (size_t c = 0; c < CURVE_COUNT; c++) {
            job->trace->curve[c] = calloc(moment->n_step + 1, sizeof(double));
            job->failed = job->failed || !job->trace->curve[c];
        }
        keep_weights(job, moment);
    }
    if (job->failed) {
        return;
    }
    if (moment->evaluation) {
        keep_evaluation(job->trace, moment);
    } else {
        keep_step(job, moment);
    }
}

static int asked_to_stop(void *context)
{
    const struct traces_options *options = ((const struct job *)context)->options;
    return options->stop ? options->stop(options->context) : 0;
}

static enum status train_one(struct job *job, int threads, struct error *err)
{
    struct train_hooks hooks = {.context = job, .watch = watch, .stop = asked_to_stop};
    int signal_number = asked_to_stop(job);
    if (signal_number != 0) {
        return error_set(err, STATUS_INTERRUPTED, "stopped by signal %d", signal_number);
    }
    enum status status = train_watched(&job->config, job->options->data, threads, &hooks, err);
    if (status == STATUS_OK && job->failed) {
        status = no_memory(err);
    }
    if (status != STATUS_OK) {
        error_prefix(err, "%s, seed %llu", job->cohort->name, (unsigned long long)job->trace->seed);
        return status;
    }
    trace_settle(job->trace);
    return STATUS_OK;
}

/* ---- many trainings ---- */

struct crew {
    const struct traces_options *options;
    size_t n_done, n_training;
    enum status status; /* of the first failure */
    struct error err;
};

static void finish_one(struct crew *crew, enum status status, const struct error *err)
{
#pragma omp critical(training_crew)
    {
        crew->n_done++;
        if (status != STATUS_OK && crew->status == STATUS_OK) {
            crew->status = status;
            crew->err = *err;
        }
        if (crew->options->progress) {
            crew->options->progress(crew->options->context, crew->n_done, crew->n_training);
        }
    }
}

static bool has_failed(const struct crew *crew)
{
    bool failed;
#pragma omp critical(training_crew)
    failed = crew->status != STATUS_OK;
    return failed;
}

static enum status train_all(struct crew *crew, struct job *job, size_t n_job, struct error *err)
{
    int threads = crew->options->threads > 0 ? crew->options->threads : threads_available();
    int at_a_time = n_job < (size_t)threads ? (int)n_job : threads;
#pragma omp parallel for schedule(dynamic, 1) num_threads(at_a_time) if (n_job > 1)
    for (size_t i = 0; i < n_job; i++) {
        struct error failure = {0};
        threads_flush_denormals();
        if (!has_failed(crew)) {
            enum status status = train_one(&job[i], n_job > 1 ? 1 : threads, &failure);
            finish_one(crew, status, &failure);
        }
    }
    return crew->status == STATUS_OK ? STATUS_OK
                                     : error_set(err, crew->status, "%s", crew->err.text);
}

/* list_jobs makes a job a trace; what is trained goes where the traces are, or elsewhere, one
 * behind the other. NULL: out of memory. */
static struct job *list_jobs(struct traces *traces, const struct traces_options *options,
                             struct trace *elsewhere)
{
    struct job *job = calloc(traces_count(traces) + 1, sizeof *job);
    for (size_t p = 0, n = 0; job && p < traces->n_cohort; p++) {
        struct cohort *cohort = &traces->cohort[p];
        for (size_t i = 0; i < cohort->n_trace; i++, n++) {
            struct trace *trace = elsewhere ? &elsewhere[n] : &cohort->trace[i];
            *trace = (struct trace){.seed = cohort->trace[i].seed, .n_tensor = cohort->n_tensor};
            job[n] = (struct job){
                .options = options, .cohort = cohort, .config = cohort->config, .trace = trace};
            job[n].config.seed = trace->seed;
        }
    }
    return job;
}

enum status traces_train(struct traces *traces, const struct traces_options *options,
                         struct error *err)
{
    size_t n = traces_count(traces);
    struct crew crew = {.options = options, .n_training = n};
    struct job *job = list_jobs(traces, options, NULL);
    enum status status = job ? train_all(&crew, job, n, err) : no_memory(err);
    free(job);
    return status;
}

/* ---- harmless changes ---- */

/* Lanes, micro-batch, and every other SIMD level that this processor has. */
#define N_CUT 2

size_t traces_n_change(void)
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

/* train_changed trains all traces under each change: changed[c * n + i] is trace i of all n. */
static enum status train_changed(struct traces *traces, const struct traces_options *options,
                                 struct trace *changed, char (*name)[TOLERANCE_CHANGE_SIZE],
                                 struct error *err)
{
    size_t n = traces_count(traces), n_change = traces_n_change();
    struct crew crew = {.options = options, .n_training = n_change * n};
    for (size_t c = 0; c < n_change; c++) {
        struct job *job = list_jobs(traces, options, changed + c * n);
        if (!job) {
            return no_memory(err);
        }
        change_jobs(c, job, n, name[c]);
        enum status status = train_all(&crew, job, n, err);
        kernels_use(NULL);
        free(job);
        TRY(status);
    }
    return STATUS_OK;
}

enum status traces_calibrate(struct traces *traces, const struct traces_options *options,
                             struct error *err)
{
    char name[TOLERANCE_MAX_CHANGE][TOLERANCE_CHANGE_SIZE];
    size_t n = traces_count(traces), n_change = traces_n_change();
    struct trace *changed = calloc(n_change * n + 1, sizeof *changed);
    enum status status =
        changed ? train_changed(traces, options, changed, name, err) : no_memory(err);
    for (size_t p = 0, first = 0; status == STATUS_OK && p < traces->n_cohort; p++) {
        struct cohort *cohort = &traces->cohort[p];
        tolerance_free(cohort->tolerance);
        cohort->tolerance = tolerance_measure(cohort->trace, cohort->n_trace, changed + first, n,
                                              (const char(*)[TOLERANCE_CHANGE_SIZE])name, n_change);
        status = cohort->tolerance ? STATUS_OK : no_memory(err);
        first += cohort->n_trace;
    }
    for (size_t i = 0; changed && i < n_change * n; i++) {
        trace_free(&changed[i]);
    }
    free(changed);
    return status;
}
