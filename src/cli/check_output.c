#include "cli/check_output.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/terminal.h"

#define MAX_SHOWN 12

/* ---- what was not compared ---- */

static bool is_compared(const struct check_result *result, const struct baseline_part *part)
{
    return compare_covers(part, result->fresh, result->comparison->tier);
}

static size_t count_left_out(const struct check_result *result)
{
    size_t n = 0;
    for (size_t p = 0; p < result->baseline->n_part; p++) {
        n += !is_compared(result, &result->baseline->part[p]);
    }
    return n;
}

/* ---- text ---- */

static void print_plural(size_t n, const char *what)
{
    printf("%zu %s%s", n, what, n == 1 ? "" : "s");
}

static void print_differences(const struct comparison *comparison)
{
    for (size_t i = 0; i < comparison->n_difference && i < MAX_SHOWN; i++) {
        const struct difference *d = &comparison->difference[i];
        terminal_print(stdout, "%s%s: %s\n", i == 0 ? "DIFFERENT: " : "  also ", d->part, d->text);
    }
    if (comparison->n_difference > MAX_SHOWN) {
        printf("  and %zu more\n", comparison->n_difference - MAX_SHOWN);
    }
}

/* print_left_out prints "copy-qk and sort-kv were not compared". */
static void print_left_out(const struct check_result *result)
{
    size_t n = count_left_out(result), i = 0;
    for (size_t p = 0; p < result->baseline->n_part; p++) {
        const struct baseline_part *part = &result->baseline->part[p];
        if (!is_compared(result, part)) {
            const char *joint = i == 0 ? "" : i + 1 < n ? ", " : " and ";
            terminal_print(stdout, "%s%s", joint, part->name);
            i++;
        }
    }
    printf(" %s not compared", n == 1 ? "was" : "were");
}

/* A check that guards one of several parts is fine, as long as nobody takes it for all of them. */
static void print_no_difference(const struct check_result *result)
{
    static const char *const meanings[] = {
        "every bit agrees", "what differs is rounding",
        "the new curves may well come from where the old ones do"};
    size_t n_part = result->baseline->n_part, n_left_out = count_left_out(result);
    if (n_left_out == 0) {
        printf("No difference: %s\n", meanings[result->comparison->tier]);
        return;
    }
    printf("No difference in %zu of %zu parts; ", n_part - n_left_out, n_part);
    print_left_out(result);
    printf("\n");
}

void check_print_text(const struct check_result *result)
{
    const struct comparison *comparison = result->comparison;
    if (comparison->n_difference > 0) {
        print_differences(comparison);
        if (count_left_out(result) > 0) {
            printf("  ");
            print_left_out(result);
            printf("\n");
        }
    } else {
        print_no_difference(result);
    }
    terminal_print(stdout, "Tier %s: %s.\n", tier_name(comparison->tier), result->reason);
    print_plural(comparison->n_run, "run");
    printf(" of ");
    print_plural(comparison->n_part, "configuration");
    if (comparison->tier == TIER_BAND) {
        printf(" beside %zu old seeds, p = %.2g of %zu relabellings (alarm at %g)",
               comparison->n_base, comparison->p, comparison->n_relabelling, COMPARE_LEVEL);
    }
    printf(", %.1f s.\n", result->seconds);
    if (comparison->note[0]) {
        terminal_print(stdout, "Note: %s.\n", comparison->note);
    }
}

/* ---- JSON ---- */

static json_t *difference_json(const struct difference *d)
{
    return json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:I, s:I, s:s}", "part", d->part,
                     "what", d->what, "step", d->step < 0 ? json_null() : json_integer(d->step),
                     "expected", json_number(d->expected), "found", json_number(d->found), "size",
                     json_number(d->size), "limit", json_number(d->limit), "p", json_number(d->p),
                     "n_seed_different", (json_int_t)d->n_seed, "n_seed", (json_int_t)d->n_of,
                     "text", d->text);
}

static json_t *result_json(const struct check_result *result)
{
    const struct comparison *comparison = result->comparison;
    json_t *list = json_array(), *left_out = json_array();
    for (size_t p = 0; p < result->baseline->n_part; p++) {
        const struct baseline_part *part = &result->baseline->part[p];
        if (!is_compared(result, part)) {
            json_array_append_new(left_out, json_text(part->name));
        }
    }
    for (size_t i = 0; i < comparison->n_difference; i++) {
        json_array_append_new(list, difference_json(&comparison->difference[i]));
    }
    const char *finding = comparison->n_difference > 0 ? comparison->difference[0].text : NULL;
    return json_pack("{s:b, s:s?, s:o, s:s, s:s, s:I, s:o, s:I, s:o, s:s, s:o}", "passed",
                     comparison->n_difference == 0, "finding", finding, "baseline",
                     json_text(result->file), "tier", tier_name(comparison->tier), "reason",
                     result->reason, "n_configuration", (json_int_t)comparison->n_part,
                     "not_compared", left_out, "n_run", (json_int_t)comparison->n_run, "p",
                     json_number(comparison->p), "note", comparison->note, "differences", list);
}

enum status check_print_json(const struct check_result *result, struct error *err)
{
    struct text text = {0};
    json_t *json = result_json(result);
    if (json) {
        json_append(&text, json);
    }
    json_decref(json);
    bool failed = !json || text.failed;
    if (!failed) {
        printf("%s\n", text.data);
    }
    text_free(&text);
    return failed ? error_set(err, STATUS_MEMORY, "out of memory") : STATUS_OK;
}

/* ---- JUnit ---- */

/* Characters that XML 1.0 cannot hold at all become '?'. */
static void append_escaped(struct text *text, const char *bytes)
{
    json_t *string = json_text(bytes); /* makes UTF-8 of whatever it is */
    const char *c = string ? json_string_value(string) : "";
    for (; *c; c++) {
        switch (*c) {
        case '&':
            text_append(text, "&amp;");
            break;
        case '<':
            text_append(text, "&lt;");
            break;
        case '>':
            text_append(text, "&gt;");
            break;
        case '"':
            text_append(text, "&quot;");
            break;
        default:
            text_append(text, "%c", (unsigned char)*c < ' ' && *c != '\n' ? '?' : *c);
        }
    }
    json_decref(string);
}

static size_t count_failed(const struct comparison *comparison, const char *part)
{
    size_t n = 0;
    for (size_t i = 0; i < comparison->n_difference; i++) {
        n += strcmp(comparison->difference[i].part, part) == 0;
    }
    return n;
}

static void append_failure(struct text *text, const struct comparison *comparison, const char *part)
{
    bool first = true;
    for (size_t i = 0; i < comparison->n_difference; i++) {
        const struct difference *d = &comparison->difference[i];
        if (strcmp(d->part, part) != 0) {
            continue;
        }
        if (first) {
            text_append(text, "\n      <failure type=\"%s\" message=\"",
                        tier_name(comparison->tier));
            append_escaped(text, d->text);
            text_append(text, "\">");
        }
        append_escaped(text, d->text);
        text_append(text, "\n");
        first = false;
    }
    text_append(text, "</failure>\n    ");
}

static void append_case(struct text *text, const struct check_result *result,
                        const struct baseline_part *part)
{
    text_append(text, "    <testcase classname=\"qkvlab.check.%s\" name=\"",
                tier_name(result->comparison->tier));
    append_escaped(text, part->name);
    text_append(text, "\">");
    if (!is_compared(result, part)) {
        text_append(text, "<skipped message=\"not compared: there are no new curves of it\"/>");
    } else if (count_failed(result->comparison, part->name) > 0) {
        append_failure(text, result->comparison, part->name);
    }
    text_append(text, "</testcase>\n");
}

enum status check_write_junit(const struct check_result *result, const char *path,
                              struct error *err)
{
    struct text text = {0};
    size_t n_failed = 0;
    for (size_t p = 0; p < result->baseline->n_part; p++) {
        n_failed += count_failed(result->comparison, result->baseline->part[p].name) > 0;
    }
    text_append(&text, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
                       "  <testsuite name=\"qkvlab check ");
    append_escaped(&text, result->file);
    text_append(&text,
                "\" tests=\"%zu\" failures=\"%zu\" errors=\"0\" skipped=\"%zu\" time=\"%.3f\">\n",
                result->baseline->n_part, n_failed, count_left_out(result), result->seconds);
    for (size_t p = 0; p < result->baseline->n_part; p++) {
        append_case(&text, result, &result->baseline->part[p]);
    }
    text_append(&text, "    <system-out>tier %s: ", tier_name(result->comparison->tier));
    append_escaped(&text, result->reason);
    text_append(&text, "</system-out>\n  </testsuite>\n</testsuites>\n");
    enum status status = text_write_unsynced(&text, path, err);
    text_free(&text);
    return status;
}
