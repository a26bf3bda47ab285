#include "lab/bench/ceiling.h"

#include <omp.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/threads.h"
#include "nn/selftest.h"

#define SIZE 1024
#define N_TRY 3

static float *matrix_create(void)
{
    float *matrix = malloc((size_t)SIZE * SIZE * sizeof *matrix);
    for (size_t i = 0; matrix && i < (size_t)SIZE * SIZE; i++) {
        matrix[i] = (float)(i % 17) / 16 - 0.5F;
    }
    return matrix;
}

enum status ceiling_create(struct ceiling *ceiling, int threads, struct error *err)
{
    *ceiling = (struct ceiling){.threads = threads};
    TRY(selftest_blas(err));
    TRY(blas_load(&ceiling->blas, err));
    ceiling->a = matrix_create();
    ceiling->b = matrix_create();
    ceiling->c = calloc((size_t)threads, sizeof *ceiling->c);
    bool fine = ceiling->a && ceiling->b && ceiling->c;
    for (int i = 0; fine && i < threads; i++) {
        ceiling->c[i] = matrix_create();
        fine = ceiling->c[i] != NULL;
    }
    if (!fine) {
        return error_set(err, STATUS_MEMORY,
                         "out of memory for the matrix products of %d threads that speed is "
                         "compared with; use fewer threads",
                         threads);
    }
    ceiling_measure(ceiling); /* the first products also start threads and touch memory */
    return STATUS_OK;
}

void ceiling_free(struct ceiling *ceiling)
{
    for (int i = 0; ceiling->c && i < ceiling->threads; i++) {
        free(ceiling->c[i]);
    }
    free(ceiling->c);
    free(ceiling->a);
    free(ceiling->b);
}

/* The time until the last of the threads has its product. */
static double multiply_everywhere(struct ceiling *ceiling)
{
    double start = 0, end = 0;
#pragma omp parallel num_threads(ceiling->threads)
    {
        threads_flush_denormals();
        float *c = ceiling->c[omp_get_thread_num()];
#pragma omp barrier
#pragma omp master
        start = clock_seconds();
        blas_take_turn();
        ceiling->blas->sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, SIZE, SIZE, SIZE, 1,
                             ceiling->a, SIZE, ceiling->b, SIZE, 0, c, SIZE);
#pragma omp barrier
#pragma omp master
        end = clock_seconds();
    }
    return end - start;
}

double ceiling_measure(struct ceiling *ceiling)
{
    double best = multiply_everywhere(ceiling);
    for (int i = 1; i < N_TRY; i++) {
        double seconds = multiply_everywhere(ceiling);
        best = seconds < best ? seconds : best;
    }
    return (double)ceiling->threads * 2.0 * SIZE * SIZE * SIZE / best;
}
