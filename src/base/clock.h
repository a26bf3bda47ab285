/* clock: seconds for measuring durations.
 */
#ifndef QKVLAB_BASE_CLOCK_H
#define QKVLAB_BASE_CLOCK_H

/* clock_seconds returns the seconds since some fixed moment; never goes backwards. */
double clock_seconds(void);

#endif
