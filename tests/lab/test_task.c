#include "testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/folder.h"
#include "lab/kind/sequences/sequences.h"

#define N_SYMBOL 10

/* The i-th of tasks/, NULL past the last. */
static const struct sequence_task *at(size_t i)
{
    const struct task *task = kind_sequences.task_at(i);
    return task ? sequence_task_of(task) : NULL;
}

static const struct sequence_task *find(const char *name)
{
    return sequence_task_of(task_find(name));
}

static size_t count_tasks(void)
{
    size_t n = 0;
    while (at(n)) {
        n++;
    }
    return n;
}

TEST(registry_has_every_file_of_tasks)
{
    char **names;
    size_t n_name, n_source = 0;
    ck_assert_int_eq(folder_list("../tasks", &names, &n_name, NULL), STATUS_OK);
    for (size_t i = 0; i < n_name; i++) {
        char *dot = strrchr(names[i], '.');
        if (dot && strcmp(dot, ".c") == 0) {
            *dot = '\0';
            n_source++;
            ck_assert_msg(task_find(names[i]) != NULL, "%s.c is not in the registry", names[i]);
            ck_assert_str_eq(task_find(names[i])->name, names[i]);
        }
    }
    ck_assert_uint_eq(count_tasks(), n_source);
    folder_list_free(names, n_name);
}

TEST(registry_is_in_order_and_finds_names)
{
    for (size_t i = 0; i + 1 < count_tasks(); i++) {
        ck_assert_int_lt(strcmp(at(i)->task.name, at(i + 1)->task.name), 0);
    }
    ck_assert_ptr_eq(task_find("revers"), NULL);
    ck_assert_ptr_eq(task_find(""), NULL);
}

static size_t read_digits(const char *text, const char *end, int32_t *digit)
{
    size_t n = 0;
    for (; text < end; text++) {
        if (*text >= '0' && *text <= '9') {
            digit[n++] = *text - '0';
        }
    }
    return n;
}

TEST(worked_examples_hold)
{
    for (size_t i = 0; i < count_tasks(); i++) {
        const struct sequence_task *task = at(i);
        const char *arrow = strstr(task->task.example, "->");
        int32_t x[16], expected[16], y[16];
        ck_assert_ptr_nonnull(arrow);
        size_t n = read_digits(task->task.example, arrow, x);
        ck_assert_uint_ge(n, 4);
        ck_assert_uint_eq(
            read_digits(arrow, task->task.example + strlen(task->task.example), expected), n);
        task->target(x, n, y);
        for (size_t t = 0; t < n; t++) {
            ck_assert_msg(y[t] == expected[t], "%s: position %zu is %d in %s", task->task.name, t,
                          y[t], task->task.example);
        }
    }
}

/* Whoever attends to the needed key can solve the task: there is a map of symbols f with
 * y_t = f(x_key), the same for all positions. */
TEST(needed_keys_hold_the_answer)
{
    enum { N_TOKEN = 8, N_SEQUENCE = 200 };
    static int32_t x[N_SEQUENCE * N_TOKEN], y[N_SEQUENCE * N_TOKEN];
    for (size_t i = 0; i < count_tasks(); i++) {
        const struct sequence_task *task = at(i);
        int32_t answer[N_SYMBOL];
        memset(answer, -1, sizeof answer);
        sequences_generate(task, 1, "train", 0, N_SEQUENCE, N_TOKEN, x, y);
        for (size_t p = 0; p < N_SEQUENCE * N_TOKEN; p++) {
            int key = task_needed_key(&task->task, p % N_TOKEN, N_TOKEN);
            if (key == TASK_NO_KEY) {
                continue;
            }
            ck_assert_int_ge(key, 0);
            ck_assert_int_lt(key, N_TOKEN);
            int32_t symbol = x[p / N_TOKEN * N_TOKEN + (size_t)key];
            if (answer[symbol] < 0) {
                answer[symbol] = y[p];
            }
            ck_assert_msg(answer[symbol] == y[p], "%s, position %zu", task->task.name, p % N_TOKEN);
        }
    }
    ck_assert_int_eq(task_needed_key(task_find("sort"), 3, 8), TASK_NO_KEY);
    ck_assert_int_eq(task_needed_key(task_find("shift"), 7, 8), 0);
}

TEST(a_slice_of_a_split_is_the_same_however_it_is_cut)
{
    enum { N_TOKEN = 5, N_SEQUENCE = 40 };
    int32_t x[N_SEQUENCE * N_TOKEN], y[N_SEQUENCE * N_TOKEN], part_x[3 * N_TOKEN],
        part_y[3 * N_TOKEN];
    const struct sequence_task *task = find("reverse");
    sequences_generate(task, 7, "train", 0, N_SEQUENCE, N_TOKEN, x, y);
    sequences_generate(task, 7, "train", 20, 3, N_TOKEN, part_x, part_y);
    ck_assert_mem_eq(part_x, x + 20 * N_TOKEN, sizeof part_x);
    ck_assert_mem_eq(part_y, y + 20 * N_TOKEN, sizeof part_y);
    for (size_t i = 0; i < N_SEQUENCE * N_TOKEN; i++) {
        ck_assert(x[i] >= 0 && x[i] <= 9);
    }
}

TEST(splits_and_seeds_are_different_draws_and_tasks_share_inputs)
{
    enum { N = 64 };
    int32_t train[N], other[N], y[N];
    const struct sequence_task *reverse = find("reverse"), *copy = find("copy");
    sequences_generate(reverse, 0, "train", 0, 1, N, train, y);
    sequences_generate(reverse, 0, "test", 0, 1, N, other, y);
    ck_assert_mem_ne(train, other, sizeof train);
    sequences_generate(reverse, 1, "train", 0, 1, N, other, y);
    ck_assert_mem_ne(train, other, sizeof train);
    sequences_generate(copy, 0, "train", 0, 1, N, other, y);
    ck_assert_mem_eq(train, other, sizeof train);
}

TEST(digits_are_uniform)
{
    enum { N = 100000 };
    static int32_t x[N], y[N];
    size_t count[N_SYMBOL] = {0};
    sequences_generate(find("copy"), 3, "train", 0, N / 10, 10, x, y);
    for (size_t i = 0; i < N; i++) {
        count[x[i]]++;
    }
    for (size_t v = 0; v < N_SYMBOL; v++) {
        /* five standard deviations of a binomial count: 95 */
        ck_assert_double_eq_tol((double)count[v], N / 10.0, 475);
    }
}

TEST(floor_of_sort)
{
    const struct task *sort = task_find("sort");
    ck_assert_double_eq_tol(task_chance(sort, 1), 0.1, 1e-12);
    /* T = 2, by hand: P(min = 0) = 1 - 0.81, P(max = 9) the same. */
    ck_assert_double_eq_tol(task_chance(sort, 2), 0.19, 1e-12);
    ck_assert_double_eq_tol(task_chance(sort, 16), 0.4229, 5e-5);
    ck_assert_double_eq_tol(task_chance(sort, 64), 0.6360, 5e-5);
    ck_assert_double_eq_tol(task_chance(sort, 128), 0.7338, 5e-5);
    double long_floor = task_chance(sort, 20000);
    ck_assert(long_floor > 0.95 && long_floor < 1);
    ck_assert_double_eq(task_chance(task_find("reverse"), 16), 0.1);
}

/* The floor's predictor, built by counting, gets just that on fresh sequences. */
TEST(floor_of_sort_is_what_counting_finds)
{
    enum { N = 20000, T = 6 };
    static int32_t x[N * T], y[N * T];
    size_t count[T][N_SYMBOL] = {{0}}, n_correct = 0;
    sequences_generate(find("sort"), 5, "train", 0, N, T, x, y);
    for (size_t i = 0; i < N * T; i++) {
        count[i % T][y[i]]++;
    }
    for (size_t t = 0; t < T; t++) {
        size_t best = 0;
        for (size_t v = 0; v < N_SYMBOL; v++) {
            best = count[t][v] > best ? count[t][v] : best;
        }
        n_correct += best;
    }
    ck_assert_double_eq_tol((double)n_correct / (N * T), task_chance(task_find("sort"), T), 0.006);
}

TEST(swap_refuses_odd_lengths_with_lengths_that_work)
{
    const struct sequence_task *swap = find("swap");
    struct error err;
    FINE(swap->check(16, &err));
    REFUSED(swap->check(15, &err), STATUS_USAGE, "15 is odd; 14 or 16 would work");
    REFUSED(swap->check(1, &err), STATUS_USAGE, "2 would work");
}
