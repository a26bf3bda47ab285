#include "cli/learning.h"

#include <stdio.h>

#include "check/traces_train.h"
#include "cli/data_options.h"
#include "cli/signals.h"
#include "cli/startup.h"
#include "cli/terminal.h"
#ifdef QKVLAB_FAULTS
#include "fault.h"
#endif

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

enum status learning_train(struct traces *traces, const struct arguments *arguments, bool calibrate,
                           struct error *err)
{
    static char training[] = "training", rounding[] = "under harmless changes";
    struct data_options data;
#ifdef QKVLAB_FAULTS
    if (arguments->fault) {
        fault_plant(arguments->fault);
    }
#endif
    TRY(startup_compute(err));
    TRY(data_options_make(&data, arguments, err));
    struct traces_options options = {.data = &data.options,
                                     .threads = arguments->threads,
                                     .context = training,
                                     .stop = signals_stop,
                                     .progress = arguments->quiet ? NULL : show_progress};
    signals_hold();
    enum status status = traces_train(traces, &options, err);
    if (status == STATUS_OK && calibrate) {
        options.context = rounding;
        status = traces_calibrate(traces, &options, err);
    }
    signals_release();
    return status;
}
