/* memory: what this process holds in physical memory, as the system counts it.
 *
 * Linux alone tells; elsewhere every question is answered with 0.
 */
#ifndef QKVLAB_BASE_MEMORY_H
#define QKVLAB_BASE_MEMORY_H

#include <stddef.h>

/* memory_resident returns the bytes held now, memory_peak the most that was held at a time since
 * the last memory_reset_peak (or the start). */
size_t memory_resident(void);
size_t memory_peak(void);

/* memory_reset_peak gives freed memory back to the system and lets the peak start from what is held
 * now. */
void memory_reset_peak(void);

#endif
