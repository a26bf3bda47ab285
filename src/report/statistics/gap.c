/* gap: pairs into configurations, and configurations into combinations of all sizes but one. */
#include "report/statistics/gap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

struct configuration {
    const struct run *run;
    size_t size[GAP_N_SIZE];
    struct stats difference; /* over seeds */
};

const char *gap_size_title(enum gap_size size)
{
    static const char *const title[GAP_N_SIZE] = {[GAP_WIDTH] = "width d",
                                                  [GAP_LAYERS] = "layers L",
                                                  [GAP_HEADS] = "heads H",
                                                  [GAP_LENGTH] = "length T",
                                                  [GAP_STEPS] = "training steps"};
    return title[size];
}

static bool is_size(const char *key)
{
    static const char *const size[] = {"n_embd", "n_layer", "n_head",     "seq_len",
                                       "epochs", "lanes",   "micro_batch"};
    for (size_t i = 0; i < sizeof size / sizeof *size; i++) {
        if (strcmp(key, size[i]) == 0) {
            return true;
        }
    }
    return config_is_in_id(key) || run_key_looks(key);
}

void gap_append_procedure(const struct run *run, struct text *text)
{
    run_append_config(run, is_size, text);
}

static bool same_procedure(const struct run *a, const struct run *b)
{
    struct text left = {0}, right = {0};
    gap_append_procedure(a, &left);
    gap_append_procedure(b, &right);
    bool same = !left.failed && !right.failed && left.data && right.data &&
                strcmp(left.data, right.data) == 0;
    text_free(&left);
    text_free(&right);
    return same;
}

/* ---- configurations ---- */

static struct configuration configuration_of(const struct run *run)
{
    const struct config *config = run_config(run);
    return (struct configuration){
        run,
        {config->n_embd, config->n_layer, config->n_head, config->seq_len, run->n_step},
        STATS_NONE};
}

/* Those in which the measure has a difference. */
static size_t collect(const struct paired *paired, enum measure measure,
                      struct configuration *configuration)
{
    size_t n = 0, last = SIZE_MAX;
    for (size_t i = 0; i < paired->n_pair; i++) {
        double difference = pair_difference(&paired->pair[i], measure);
        if (!isfinite(difference)) {
            continue;
        }
        if (paired->pair[i].configuration != last) {
            configuration[n++] = configuration_of(paired->pair[i].run);
            last = paired->pair[i].configuration;
        }
        stats_add(&configuration[n - 1].difference, difference);
    }
    return n;
}

static bool differ_in_sizes_alone(const struct configuration *configuration, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        if (!same_procedure(configuration[0].run, configuration[i].run)) {
            return false;
        }
    }
    return true;
}

/* Which configuration has this value and the other sizes of like; n: none. */
static size_t find(const struct configuration *configuration, size_t n,
                   const struct configuration *like, enum gap_size size, size_t value)
{
    size_t wanted[GAP_N_SIZE], i = 0;
    memcpy(wanted, like->size, sizeof wanted);
    wanted[size] = value;
    while (i < n && memcmp(configuration[i].size, wanted, sizeof wanted) != 0) {
        i++;
    }
    return i;
}

/* ---- points ---- */

static int compare_sizes(const void *left, const void *right)
{
    size_t a = *(const size_t *)left, b = *(const size_t *)right;
    return (a > b) - (a < b);
}

static size_t find_values(const struct configuration *configuration, size_t n, enum gap_size size,
                          size_t *value)
{
    size_t n_value = 0;
    for (size_t i = 0; i < n; i++) {
        value[i] = configuration[i].size[size];
    }
    qsort(value, n, sizeof *value, compare_sizes);
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || value[i] != value[i - 1]) {
            value[n_value++] = value[i];
        }
    }
    return n_value;
}

/* Appends the combination of which this configuration is the one at the lowest value, if it is
 * there at every value. */
static void add_combination(struct gap_line *line, const struct configuration *configuration,
                            size_t n, size_t first)
{
    const struct configuration *like = &configuration[first];
    if (like->size[line->size] != line->point[0].value) {
        return;
    }
    for (size_t i = 0; i < line->n_point; i++) {
        size_t at = find(configuration, n, like, line->size, line->point[i].value);
        if (at == n) {
            return;
        }
        line->point[i].of_combination[line->n_combination] = configuration[at].difference.mean;
    }
    line->n_combination++;
}

static bool make_points(struct gap_line *line, const struct configuration *configuration, size_t n,
                        const size_t *value, size_t n_value)
{
    line->point = calloc(n_value, sizeof *line->point);
    line->n_point = line->point ? n_value : 0;
    for (size_t i = 0; i < line->n_point; i++) {
        line->point[i].value = value[i];
        line->point[i].of_combination = calloc(n, sizeof(double));
        if (!line->point[i].of_combination) {
            return false;
        }
    }
    for (size_t i = 0; line->n_point > 0 && i < n; i++) {
        add_combination(line, configuration, n, i);
    }
    for (size_t i = 0; i < line->n_point; i++) {
        line->point[i].mean = stats_of(line->point[i].of_combination, line->n_combination).mean;
    }
    return line->point != NULL;
}

enum status gap_make(const struct paired *paired, enum measure measure, enum gap_size size,
                     struct gap_line *line, struct error *err)
{
    *line = (struct gap_line){.paired = paired, .size = size};
    struct configuration *configuration = calloc(paired->n_pair + 1, sizeof *configuration);
    size_t *value = calloc(paired->n_pair + 1, sizeof *value);
    bool fine = configuration && value;
    if (fine) {
        size_t n = collect(paired, measure, configuration);
        size_t n_value = find_values(configuration, n, size, value);
        if (n_value > 1 && differ_in_sizes_alone(configuration, n)) {
            fine = make_points(line, configuration, n, value, n_value);
        }
        if (fine && line->n_combination == 0) {
            gap_free(line);
        }
    }
    free(configuration);
    free(value);
    return fine ? STATUS_OK : error_memory(err, "comparing variants by size");
}

void gap_free(struct gap_line *line)
{
    for (size_t i = 0; i < line->n_point; i++) {
        free(line->point[i].of_combination);
    }
    free(line->point);
    line->point = NULL;
    line->n_point = line->n_combination = 0;
}
