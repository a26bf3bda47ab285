/* signals: the one place that hears SIGINT, SIGTERM and SIGHUP.
 *
 * They end the process at once, except between signals_hold and signals_release: there the first
 * one only raises a flag, so that training finishes its step and leaves a clean state, and a second
 * one, half a second later or more, ends the process. A reader that went away (SIGPIPE) never kills
 * a training; the write that fails says so instead.
 */
#ifndef QKVLAB_CLI_SIGNALS_H
#define QKVLAB_CLI_SIGNALS_H

void signals_prepare(void);

/* Only code that asks signals_received often may run between the two. */
void signals_hold(void);
void signals_release(void);

/* signals_received returns the first signal that asked to stop, 0 if none did. */
int signals_received(void);

/* signals_stop is the same as a stop hook of what computes long. */
int signals_stop(void *context);

#endif
