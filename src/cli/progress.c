/* Time left comes from lab/time_left: a grid mixes runs of very different cost, so that their
 * number says little.
 */
#include "cli/progress.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "cli/terminal.h"
#include "lab/sweep/time_left.h"

#define BAR_SECONDS 0.1
#define LINE_SECONDS 5.0
#define BAR_CELLS 20
#define NARROW_BAR_CELLS 10 /* on a terminal of less than 100 columns */
#define LOSS_DIGITS 4
#define LINE_SIZE 256
#define TIME_LEFT_SIZE 64
#define MIN_SECONDS_TO_ESTIMATE 1.0

struct progress {
    const struct config *config;
    size_t n_run;
    struct time_left *left;
    size_t n_ended;
    size_t current, step, n_step;
    double loss;
    bool quiet, bar, colour, shown, has_current;
    double started, last;
};

struct progress *progress_create(const struct config *configs, size_t n_run, size_t n_place,
                                 bool quiet)
{
    struct progress *progress = calloc(1, sizeof *progress);
    struct time_left *left = time_left_create(configs, n_run, n_place);
    if (!progress || !left) {
        free(progress);
        time_left_free(left);
        return NULL;
    }
    *progress = (struct progress){.config = configs, .n_run = n_run, .left = left, .quiet = quiet};
    progress->bar = terminal_is(stderr);
    progress->colour = terminal_colour(stderr);
    progress->started = progress->last = clock_seconds();
    return progress;
}

void progress_free(struct progress *progress)
{
    progress_clear(progress);
    time_left_free(progress->left);
    free(progress);
}

double progress_seconds(const struct progress *progress)
{
    return clock_seconds() - progress->started;
}

void progress_duration(double seconds, char text[DURATION_SIZE])
{
    long total = (long)(seconds + 0.5);
    if (total < 60) {
        snprintf(text, DURATION_SIZE, "%ld s", total);
    } else if (total < 3600) {
        snprintf(text, DURATION_SIZE, "%ld min %02ld s", total / 60, total % 60);
    } else {
        snprintf(text, DURATION_SIZE, "%ld h %02ld min", total / 3600, total / 60 % 60);
    }
}

void progress_clear(struct progress *progress)
{
    if (!progress->shown) {
        return;
    }
    fputs("\r\033[K", stderr);
    fflush(stderr);
    progress->shown = false;
}

/* An estimate: seconds only where minutes would be too coarse. */
static void format_time_left(const struct progress *progress, char text[TIME_LEFT_SIZE])
{
    double left = time_left_seconds(progress->left, clock_seconds());
    text[0] = '\0';
    if (isnan(left) || progress_seconds(progress) < MIN_SECONDS_TO_ESTIMATE) {
        return;
    }
    long minutes = lround(left / 60.0);
    if (left < 120.0) {
        snprintf(text, TIME_LEFT_SIZE, ", about %ld s left", lround(left));
    } else if (minutes < 120) {
        snprintf(text, TIME_LEFT_SIZE, ", about %ld min left", minutes);
    } else {
        snprintf(text, TIME_LEFT_SIZE, ", about %ld h %02ld min left", minutes / 60, minutes % 60);
    }
}

/* What matters most comes first: a narrow terminal cuts the end. */
static void format_state(const struct progress *progress, char line[LINE_SIZE])
{
    char left[TIME_LEFT_SIZE], current[128] = "";
    format_time_left(progress, left);
    if (progress->has_current) {
        const struct config *config = &progress->config[progress->current];
        char variant[VARIANT_TEXT_SIZE];
        variant_id(&config->variant, variant);
        snprintf(current, sizeof current, ": %.20s %.24s s%llu step %zu/%zu loss %.*g",
                 config->task->name, variant, (unsigned long long)config->seed, progress->step,
                 progress->n_step, LOSS_DIGITS, progress->loss);
    }
    snprintf(line, LINE_SIZE, "%zu/%zu runs%s%s", progress->n_ended, progress->n_run, left,
             current);
}

static void print_bar(struct progress *progress, const char *state)
{
    size_t width = terminal_width(stderr, 80);
    size_t n_cell = width < 100 ? NARROW_BAR_CELLS : BAR_CELLS;
    size_t full = (size_t)((double)n_cell * time_left_share(progress->left, clock_seconds()));
    size_t room = width > n_cell + 2 ? width - n_cell - 2 : 0;
    fputs(progress->colour ? "\r\033[32m" : "\r", stderr);
    for (size_t i = 0; i < n_cell; i++) {
        fputc(i < full ? '#' : '.', stderr);
    }
    fputs(progress->colour ? "\033[0m " : " ", stderr);
    fprintf(stderr, "%.*s\033[K", (int)room, state);
    fflush(stderr);
    progress->shown = true;
}

void progress_tick(struct progress *progress)
{
    if (progress->quiet) {
        return;
    }
    double time = clock_seconds();
    if (time - progress->last < (progress->bar ? BAR_SECONDS : LINE_SECONDS)) {
        return;
    }
    progress->last = time;
    char state[LINE_SIZE];
    format_state(progress, state);
    if (progress->bar) {
        print_bar(progress, state);
    } else {
        fprintf(stderr, "%s\n", state);
    }
}

void progress_skip(struct progress *progress, size_t index)
{
    progress->n_ended++;
    time_left_skip(progress->left, index);
}

void progress_begin(struct progress *progress, size_t index)
{
    time_left_begin(progress->left, index, clock_seconds());
}

void progress_step(struct progress *progress, size_t index, size_t step, size_t n_step, double loss)
{
    progress->has_current = true;
    progress->current = index;
    progress->step = step + 1;
    progress->n_step = n_step;
    progress->loss = loss;
    time_left_reach(progress->left, index, (double)(step + 1) / (double)n_step);
    progress_tick(progress);
}

void progress_end(struct progress *progress, size_t index)
{
    progress->n_ended++;
    progress->has_current = false;
    time_left_end(progress->left, index, clock_seconds());
    progress_tick(progress);
}

void progress_note(struct progress *progress, const char *format, ...)
{
    char text[4096];
    progress_clear(progress);
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    terminal_say("%s", text);
}
