/* signals: the one place that hears SIGINT, SIGTERM and SIGHUP.
 *
 * The first signal only raises a flag: training finishes its step and leaves a clean state. A
 * second one ends the process at once. A reader that went away (SIGPIPE) never kills a training;
 * the write that fails says so instead.
 */
#ifndef QKVLAB_CLI_SIGNALS_H
#define QKVLAB_CLI_SIGNALS_H

void signals_install(void);

/* signals_received returns the first signal that asked to stop, 0 if none did. */
int signals_received(void);

#endif
