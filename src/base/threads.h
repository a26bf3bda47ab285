/* threads: what every thread that computes needs. Work is handed out by OpenMP in nn/engine.c; this
 * module holds the floating-point mode and the questions about the machine.
 */
#ifndef QKVLAB_BASE_THREADS_H
#define QKVLAB_BASE_THREADS_H

/* threads_flush_denormals switches the calling thread to flush-to-zero and denormals-are-zero, so
 * that training to a tiny loss does not slow down. Call it on every thread that computes. */
void threads_flush_denormals(void);

/* threads_available returns the number of processors this process may use (affinity mask). */
int threads_available(void);

#endif
