#include "cli/check_output.h"

#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/wrap.h"
#include "check/tier.h"

#define MAX_SHOWN 12

static bool is_compared(const struct check_result *result, const struct cohort *cohort)
{
    return tier_covers(result->verdict->tier, cohort, result->new);
}

static size_t count_left_out(const struct check_result *result)
{
    size_t n = 0;
    for (size_t p = 0; p < result->old->n_cohort; p++) {
        n += !is_compared(result, &result->old->cohort[p]);
    }
    return n;
}

/* ---- text ---- */

/* "copy-qk and sort-kv were not compared" */
static void say_left_out(struct text *text, const struct check_result *result)
{
    size_t n = count_left_out(result), i = 0;
    for (size_t p = 0; p < result->old->n_cohort; p++) {
        if (!is_compared(result, &result->old->cohort[p])) {
            const char *joint = i == 0 ? "" : i + 1 < n ? ", " : " and ";
            text_append(text, "%s%s", joint, result->old->cohort[p].name);
            i++;
        }
    }
    text_append(text, " %s not compared\n", n == 1 ? "was" : "were");
}

static void say_differences(struct text *text, const struct check_result *result)
{
    const struct verdict *verdict = result->verdict;
    for (size_t i = 0; i < verdict->n_difference && i < MAX_SHOWN; i++) {
        const struct difference *d = &verdict->difference[i];
        text_append(text, "%s%s: %s\n", i == 0 ? "DIFFERENT: " : "  also ", d->cohort,
                    d->text.data);
    }
    if (verdict->n_difference > MAX_SHOWN) {
        text_append(text, "  and %zu more\n", verdict->n_difference - MAX_SHOWN);
    }
    if (count_left_out(result) > 0) {
        text_append(text, "  ");
        say_left_out(text, result);
    }
}

/* A check that guards one of several cohorts is fine, as long as nobody takes it for all of them.
 */
static void say_no_difference(struct text *text, const struct check_result *result)
{
    size_t n_cohort = result->old->n_cohort, n_left_out = count_left_out(result);
    if (n_left_out == 0) {
        text_append(text, "No difference: %s\n", result->verdict->tier->agreement);
    } else {
        text_append(text, "No difference in %zu of %zu parts; ", n_cohort - n_left_out, n_cohort);
        say_left_out(text, result);
    }
}

static void say(struct text *text, const struct check_result *result)
{
    const struct verdict *verdict = result->verdict;
    if (verdict->n_difference > 0) {
        say_differences(text, result);
    } else {
        say_no_difference(text, result);
    }
    text_append(text, "Tier %s: %s.\n%zu run%s of %zu configuration%s", verdict->tier->name,
                result->reason, verdict->n_trace, plural(verdict->n_trace), verdict->n_cohort,
                plural(verdict->n_cohort));
    if (verdict->n_relabelling > 0) {
        text_append(text, " beside %zu old seeds, p = %.2g of %zu relabellings (alarm at %g)",
                    verdict->n_old, verdict->p, verdict->n_relabelling, BAND_LEVEL);
    }
    text_append(text, ", %.1f s.\n", result->seconds);
    if (verdict->note.data) {
        text_append(text, "Note: %s.\n", verdict->note.data);
    }
}

/* ---- JSON ---- */

static json_t *difference_json(const struct difference *d)
{
    return json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:I, s:I, s:s}", "part", d->cohort,
                     "what", d->what, "step", d->step < 0 ? json_null() : json_integer(d->step),
                     "expected", json_number(d->expected), "found", json_number(d->found), "size",
                     json_number(d->size), "limit", json_number(d->limit), "p", json_number(d->p),
                     "n_seed_different", (json_int_t)d->n_seed, "n_seed", (json_int_t)d->n_of,
                     "text", d->text.data);
}

static void append_json(struct text *text, const struct check_result *result)
{
    const struct verdict *verdict = result->verdict;
    json_t *list = json_array(), *left_out = json_array();
    for (size_t p = 0; p < result->old->n_cohort; p++) {
        const struct cohort *cohort = &result->old->cohort[p];
        if (!is_compared(result, cohort)) {
            json_array_append_new(left_out, json_text(cohort->name));
        }
    }
    for (size_t i = 0; i < verdict->n_difference; i++) {
        json_array_append_new(list, difference_json(&verdict->difference[i]));
    }
    const char *finding = verdict->n_difference > 0 ? verdict->difference[0].text.data : NULL;
    const char *note = verdict->note.data ? verdict->note.data : "";
    json_t *json = json_pack("{s:b, s:s?, s:o, s:s, s:s, s:I, s:o, s:I, s:o, s:s, s:o}", "passed",
                             !finding, "finding", finding, "baseline", json_text(result->file),
                             "tier", verdict->tier->name, "reason", result->reason,
                             "n_configuration", (json_int_t)verdict->n_cohort, "not_compared",
                             left_out, "n_run", (json_int_t)verdict->n_trace, "p",
                             json_number(verdict->p), "note", note, "differences", list);
    if (json) {
        json_append(text, json);
    }
    text->failed = text->failed || !json;
    text_append(text, "\n");
    json_decref(json);
}

enum status check_print(const struct check_result *result, enum format format, struct error *err)
{
    struct text text = {0};
    if (format == FORMAT_JSON) {
        append_json(&text, result);
    } else {
        say(&text, result);
    }
    bool failed = text.failed;
    if (!failed) {
        text_clean(text.data);
        fputs(text.data, stdout);
    }
    text_free(&text);
    return failed ? error_memory(err, "printing the answer") : STATUS_OK;
}

/* ---- JUnit ---- */

/* Characters that XML 1.0 cannot hold at all become '?'. */
static void append_escaped(struct text *text, const char *bytes)
{
    json_t *string = json_text(bytes); /* makes UTF-8 of whatever it is */
    const char *c = string ? json_string_value(string) : "";
    for (; *c; c++) {
        const char *entity = *c == '&'   ? "&amp;"
                             : *c == '<' ? "&lt;"
                             : *c == '>' ? "&gt;"
                             : *c == '"' ? "&quot;"
                                         : NULL;
        bool held = (unsigned char)*c >= ' ' || *c == '\n';
        text_append(text, entity ? "%s" : "%.1s", entity ? entity : held ? c : "?");
    }
    json_decref(string);
}

/* append_failure returns whether something differs in the cohort. */
static bool append_failure(struct text *text, const struct verdict *verdict, const char *cohort)
{
    bool found = false;
    for (size_t i = 0; i < verdict->n_difference; i++) {
        const struct difference *d = &verdict->difference[i];
        if (strcmp(d->cohort, cohort) != 0) {
            continue;
        }
        if (!found) {
            text_append(text, "\n      <failure type=\"%s\" message=\"", verdict->tier->name);
            append_escaped(text, d->text.data);
            text_append(text, "\">");
        }
        append_escaped(text, d->text.data);
        text_append(text, "\n");
        found = true;
    }
    if (found) {
        text_append(text, "</failure>\n    ");
    }
    return found;
}

/* append_cases returns how many failed. */
static size_t append_cases(struct text *text, const struct check_result *result)
{
    size_t n_failed = 0;
    for (size_t p = 0; p < result->old->n_cohort; p++) {
        const struct cohort *cohort = &result->old->cohort[p];
        text_append(text, "    <testcase classname=\"qkvlab.check.%s\" name=\"",
                    result->verdict->tier->name);
        append_escaped(text, cohort->name);
        text_append(text, "\">");
        if (is_compared(result, cohort)) {
            n_failed += append_failure(text, result->verdict, cohort->name);
        } else {
            text_append(text, "<skipped message=\"not compared: there are no new curves of it\"/>");
        }
        text_append(text, "</testcase>\n");
    }
    return n_failed;
}

enum status check_write_junit(const struct check_result *result, const char *path,
                              struct error *err)
{
    struct text text = {0}, cases = {0};
    size_t n_failed = append_cases(&cases, result);
    text_append(&text, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
                       "  <testsuite name=\"qkvlab check ");
    append_escaped(&text, result->file);
    text_append(&text,
                "\" tests=\"%zu\" failures=\"%zu\" errors=\"0\" skipped=\"%zu\" time=\"%.3f\">\n%s",
                result->old->n_cohort, n_failed, count_left_out(result), result->seconds,
                cases.data ? cases.data : "");
    text_append(&text, "    <system-out>tier %s: ", result->verdict->tier->name);
    append_escaped(&text, result->reason);
    text_append(&text, "</system-out>\n  </testsuite>\n</testsuites>\n");
    text.failed = text.failed || cases.failed;
    enum status status = text_write_unsynced(&text, path, err);
    text_free(&text);
    text_free(&cases);
    return status;
}
