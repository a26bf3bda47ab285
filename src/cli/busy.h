/* busy: one line on stderr where other programs were at work while something was timed.
 */
#ifndef QKVLAB_CLI_BUSY_H
#define QKVLAB_CLI_BUSY_H

/* busy_warn takes a share of the processors, see base/contention.h, and what follows from it.
 * Little, and what is unknown, is passed over. */
void busy_warn(double others, const char *consequence);

#endif
