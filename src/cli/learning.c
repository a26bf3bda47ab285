#include "cli/learning.h"

#include <stdio.h>
#include <string.h>

#include "base/fault.h"
#include "cli/data_options.h"
#include "cli/signals.h"
#include "cli/startup.h"
#include "cli/terminal.h"
#include "lab/baseline/baseline_train.h"

static int stop(void *context)
{
    (void)context;
    return signals_received();
}

/* A line that is written over, on a terminal alone. */
static void show_progress(void *context, size_t n_done, size_t n_run)
{
    const char *what = context;
    if (terminal_is(stderr)) {
        fprintf(stderr, "\r%s: %zu of %zu runs%s", what, n_done, n_run,
                n_done == n_run ? "\r\033[K" : "");
        fflush(stderr);
    }
}

enum status learning_train(struct baseline *baseline, const struct arguments *arguments,
                           bool calibrate, struct error *err)
{
    static char training[] = "training", rounding[] = "under harmless changes";
    struct data_options data;
    enum status status = startup_compute(err);
    if (status == STATUS_OK) {
        status = data_options_make(&data, arguments, err);
    }
    if (status != STATUS_OK) {
        return status;
    }
    struct baseline_options options = {.data = &data.options,
                                       .threads = arguments->threads,
                                       .context = training,
                                       .stop = stop,
                                       .progress = arguments->quiet ? NULL : show_progress};
    signals_hold();
    status = baseline_train(baseline, &options, err);
    if (status == STATUS_OK && calibrate) {
        options.context = rounding;
        status = baseline_calibrate(baseline, &options, err);
    }
    signals_release();
    return status;
}

#ifdef QKVLAB_FAULTS

enum status learning_plant(const struct arguments *arguments, struct error *err)
{
    if (!arguments->fault) {
        return STATUS_OK;
    }
    for (size_t i = 0; i < FAULT_COUNT; i++) {
        if (strcmp(fault_name(i), arguments->fault) == 0) {
            fault_plant((enum fault)i);
        }
    }
    return STATUS_OK;
}

#else

enum status learning_plant(const struct arguments *arguments, struct error *err)
{
    (void)arguments, (void)err;
    return STATUS_OK;
}

#endif
