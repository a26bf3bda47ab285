/* clock: seconds for measuring durations.
 */
#ifndef QKVLAB_BASE_CLOCK_H
#define QKVLAB_BASE_CLOCK_H

/* clock_seconds returns the seconds since some fixed moment; never goes backwards. */
double clock_seconds(void);

/* The seconds that this process (all its threads), or the calling thread, has worked on a
 * processor.
 */
double clock_process_seconds(void);
double clock_thread_seconds(void);

#endif
