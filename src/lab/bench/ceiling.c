#include "lab/bench/ceiling.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/threads.h"
#include "nn/blas.h"
#include "nn/selftest.h"

#define SIZE 1024
#define N_TRY 3

struct ceiling_process {
    pid_t pid;
    int connection;
};

/* When a process had a product; clock_seconds is the same in all. */
struct times {
    double start, end;
};

static float *matrix_create(void)
{
    float *matrix = malloc((size_t)SIZE * SIZE * sizeof *matrix);
    for (size_t i = 0; matrix && i < (size_t)SIZE * SIZE; i++) {
        matrix[i] = (float)(i % 17) / 16 - 0.5F;
    }
    return matrix;
}

/* What a process does: a product for every byte that it is sent, until there is nobody to send. */
_Noreturn static void serve(int connection, const struct blas *blas, const float *a, const float *b,
                            float *c)
{
    char asked;
    threads_flush_denormals();
    while (read(connection, &asked, 1) == 1) {
        struct times times = {.start = clock_seconds()};
        blas->sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, SIZE, SIZE, SIZE, 1, a, SIZE, b,
                    SIZE, 0, c, SIZE);
        times.end = clock_seconds();
        if (write(connection, &times, sizeof times) != sizeof times) {
            break;
        }
    }
    _exit(0);
}

/* begin_process adds a process; returns 0 or an errno. */
static int begin_process(struct ceiling *ceiling, const struct blas *blas, const float *a,
                         const float *b, float *c)
{
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        return errno;
    }
    pid_t pid = fork();
    int failure = pid < 0 ? errno : 0;
    if (pid == 0) {
        for (int i = 0; i < ceiling->n_process; i++) {
            close(ceiling->process[i].connection);
        }
        close(ends[0]);
        signal(SIGPIPE, SIG_IGN);
        signal(SIGINT, SIG_IGN); /* of the terminal: bench itself says when it is over */
        serve(ends[1], blas, a, b, c);
    }
    close(ends[1]);
    if (failure) {
        close(ends[0]);
        return failure;
    }
    ceiling->process[ceiling->n_process++] = (struct ceiling_process){pid, ends[0]};
    return 0;
}

enum status ceiling_create(struct ceiling *ceiling, int threads, struct error *err)
{
    const struct blas *blas;
    *ceiling = (struct ceiling){.process = calloc((size_t)threads, sizeof *ceiling->process)};
    TRY(selftest_blas(err));
    TRY(blas_load(&blas, err));
    float *a = matrix_create(), *b = matrix_create(), *c = matrix_create();
    int failure = a && b && c && ceiling->process ? 0 : ENOMEM;
    while (!failure && ceiling->n_process < threads) {
        failure = begin_process(ceiling, blas, a, b, c);
    }
    free(a);
    free(b);
    free(c);
    if (failure) {
        return error_set(err, STATUS_FAILED,
                         "cannot begin %d processes for the matrix products that speed is compared "
                         "with: %s; use fewer threads",
                         threads, strerror(failure));
    }
    ceiling_measure(ceiling); /* the first products also touch memory */
    return STATUS_OK;
}

void ceiling_free(struct ceiling *ceiling)
{
    for (int i = 0; i < ceiling->n_process; i++) {
        close(ceiling->process[i].connection); /* the process ends */
    }
    for (int i = 0; i < ceiling->n_process; i++) {
        while (waitpid(ceiling->process[i].pid, NULL, 0) < 0 && errno == EINTR) {
        }
    }
    free(ceiling->process);
    *ceiling = (struct ceiling){0};
}

/* The time from the first process' beginning until the last has its product. */
static double multiply_everywhere(const struct ceiling *ceiling)
{
    double start = INFINITY, end = 0;
    bool fine = true;
    for (int i = 0; i < ceiling->n_process; i++) {
        fine &= send(ceiling->process[i].connection, "", 1, MSG_NOSIGNAL) == 1;
    }
    for (int i = 0; i < ceiling->n_process; i++) {
        struct times times;
        fine &=
            recv(ceiling->process[i].connection, &times, sizeof times, MSG_WAITALL) == sizeof times;
        start = fine ? fmin(start, times.start) : NAN;
        end = fine ? fmax(end, times.end) : NAN;
    }
    return end - start;
}

double ceiling_measure(const struct ceiling *ceiling)
{
    double best = multiply_everywhere(ceiling);
    for (int i = 1; i < N_TRY; i++) {
        best = fmin(best, multiply_everywhere(ceiling));
    }
    return (double)ceiling->n_process * 2.0 * SIZE * SIZE * SIZE / best;
}
