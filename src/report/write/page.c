/* page: the document as the JSON that the page draws from. Arrays of values are base64; a long line
 * is cut into pieces of equally many steps, of which the mean and the extremes are kept, so that no
 * extreme is lost. Single lines are kept while all plots stay small.
 */
#include "report/write/page.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "report/frame/stats.h"
#include "report/write/html_parts.h"
#include "report/write/latex.h"
#include "report/write/page_assets.h"

#define MAX_POINT 200                 /* of a line */
#define MIN_POINT 25                  /* a line is not cut into fewer, whatever the budget */
#define PLOT_BUDGET ((size_t)6 << 20) /* characters of all lines */
#define FLOAT_CHARS 6                 /* of a float in base64, rounded up */
#define TABLE_DIGITS 5                /* of a number in a table */

struct budget {
    size_t max_point;
    bool with_singles;
};

/* Levels at the end that are any are left out. */
static json_t *facets_json(uint64_t tag)
{
    struct facets facets = facets_of(tag);
    const int level[] = {facets.task, facets.variant, facets.setting, facets.seed};
    size_t n = 4;
    while (n > 0 && level[n - 1] == FACET_ANY) {
        n--;
    }
    json_t *array = n > 0 ? json_array() : json_integer(0);
    for (size_t i = 0; i < n; i++) {
        json_array_append_new(array, json_integer(level[i]));
    }
    return array;
}

static void set_text(json_t *object, const char *key, const char *text)
{
    if (text) {
        json_object_set_new(object, key, json_text(text));
    }
}

static void set_flag(json_t *object, const char *key, bool flag)
{
    if (flag) {
        json_object_set_new(object, key, json_true());
    }
}

static void set_finite(json_t *object, const char *key, double value)
{
    if (isfinite(value)) {
        json_object_set_new(object, key, json_number(value));
    }
}

/* ---- tables ---- */

static json_t *column_json(const struct table *table, size_t i)
{
    const struct column *column = table_column_at(table, i);
    json_t *object = json_object();
    set_text(object, "t", column->title);
    set_text(object, "h", column->hint);
    set_text(object, "a", column->link);
    if (column->look != LOOK_PLAIN) {
        json_object_set_new(object, "look", json_integer(column->look));
    }
    set_flag(object, "n", table_is_number(table, i));
    if (column->tag) {
        json_object_set_new(object, "f", facets_json(column->tag));
    }
    return object;
}

/* As many digits as a reader may see of it, and sort by. */
static json_t *rounded_json(double value)
{
    char text[32];
    snprintf(text, sizeof text, "%.*g", TABLE_DIGITS, value);
    return json_number(strtod(text, NULL));
}

static json_t *number_json(const struct table *table, size_t row, size_t column)
{
    const struct cell_value *cell = table_cell_at(table, row, column);
    char buffer[TABLE_CELL_SIZE];
    json_t *array = json_pack("[o]", json_text(table_cell_text(table, row, column, buffer)));
    if (cell->shown) {
        json_array_append_new(array, rounded_json(cell->number));
    }
    if (cell->n > 0) {
        json_array_append_new(array, json_integer((json_int_t)cell->n));
    }
    if (cell->n > 0 && cell->low < cell->high) {
        json_array_append_new(array, rounded_json(cell->low));
        json_array_append_new(array, rounded_json(cell->high));
    }
    return array;
}

static json_t *cell_json(const struct table *table, size_t row, size_t column, bool bare)
{
    const struct cell_value *cell = table_cell_at(table, row, column);
    switch (cell->type) {
    case CELL_MISSING:
        return json_null();
    case CELL_INTEGER:
        return json_integer(cell->integer);
    case CELL_NUMBER:
        return bare ? rounded_json(cell->number) : number_json(table, row, column);
    default:
        return json_text(cell->text);
    }
}

/* bare: numbers are for drawing, and have no texts. */
static void add_table(json_t *object, const struct table *table, bool bare)
{
    json_t *columns = json_array(), *rows = json_array();
    for (size_t i = 0; i < table_n_column(table); i++) {
        if (table_column_at(table, i)->title) {
            json_array_append_new(columns, column_json(table, i));
        }
    }
    for (size_t row = 0; row < table_n_row(table); row++) {
        json_t *cells = json_array();
        for (size_t i = 0; i < table_n_column(table); i++) {
            if (table_column_at(table, i)->title) {
                json_array_append_new(cells, cell_json(table, row, i, bare));
            }
        }
        json_t *array = json_pack("[o, o]", facets_json(table_row_tag(table, row)), cells);
        if (table_row_aside(table, row)) {
            json_array_append_new(array, json_integer(1));
        }
        json_array_append_new(rows, array);
    }
    json_object_set_new(object, "cols", columns);
    json_object_set_new(object, "rows", rows);
}

static json_t *columns_json(const size_t *column, size_t n)
{
    json_t *array = json_array();
    for (size_t i = 0; i < n; i++) {
        json_array_append_new(array, json_integer((json_int_t)column[i]));
    }
    return array;
}

static void add_pivot(json_t *object, const struct pivot *pivot)
{
    json_object_set_new(object, "x", columns_json(pivot->x, pivot->n_x));
    json_object_set_new(object, "y", columns_json(pivot->y, pivot->n_y));
    json_object_set_new(object, "fixed", columns_json(pivot->fixed, pivot->n_fixed));
    json_object_set_new(object, "line", json_integer((json_int_t)pivot->line));
    json_object_set_new(object, "panel", json_integer((json_int_t)pivot->panel));
    add_table(object, pivot->table, true);
}

/* ---- plots ---- */

enum piece { PIECE_MEAN, PIECE_LOW, PIECE_HIGH };

/* The mean, the lowest or the highest value of every `cut` values; NaN where none is finite. */
static json_t *pieces_json(const double *value, size_t n, size_t cut, enum piece kind)
{
    size_t n_piece = (n + cut - 1) / cut;
    float *piece = calloc(n_piece + 1, sizeof *piece);
    for (size_t i = 0; piece && i < n_piece; i++) {
        size_t left = n - i * cut;
        struct stats of = stats_of(value + i * cut, left < cut ? left : cut);
        piece[i] = (float)(kind == PIECE_MEAN ? of.mean : kind == PIECE_LOW ? of.min : of.max);
    }
    json_t *text = piece ? html_base64(piece, n_piece * sizeof *piece) : NULL;
    free(piece);
    return text;
}

/* Few values with their single values are often single runs, which are what is to be seen. */
static bool keeps_singles(const struct series *series, const struct budget *budget)
{
    return budget->with_singles || series->n <= MIN_POINT;
}

/* [first, by, cut, n] of values that are equally far apart, else pieces of them. */
static json_t *x_json(const struct series *series, size_t cut)
{
    const double *x = series->x;
    double by = series->n > 1 ? x[1] - x[0] : 1;
    for (size_t i = 2; i < series->n; i++) {
        if (!(fabs(x[i] - x[0] - (double)i * by) <= 1e-9 * fabs(by))) {
            return pieces_json(x, series->n, cut, PIECE_MEAN);
        }
    }
    return json_pack("[o, o, I, I]", json_number(series->n > 0 ? x[0] : 0), json_number(by),
                     (json_int_t)cut, (json_int_t)series->n);
}

static json_t *line_json(const struct series *series, size_t cut, const struct budget *budget)
{
    const double *low = series->low ? series->low : cut > 1 ? series->y : NULL;
    const double *high = series->high ? series->high : cut > 1 ? series->y : NULL;
    json_t *line =
        json_pack("{s:I, s:o, s:o}", "v", (json_int_t)series->style, "f", facets_json(series->tag),
                  "y", pieces_json(series->y, series->n, cut, PIECE_MEAN));
    set_text(line, "t", series->name);
    if (series->mark != MARK_LINE) {
        json_object_set_new(line, "m", json_integer(series->mark));
    }
    set_finite(line, "w", series->width > 0 ? series->width : NAN);
    if (low && high) {
        json_object_set_new(line, "lo", pieces_json(low, series->n, cut, PIECE_LOW));
        json_object_set_new(line, "hi", pieces_json(high, series->n, cut, PIECE_HIGH));
    }
    if (series->n_single > 0 && keeps_singles(series, budget)) {
        json_t *singles = json_array();
        for (size_t i = 0; i < series->n_single; i++) {
            json_array_append_new(singles,
                                  pieces_json(series->single[i], series->n, cut, PIECE_MEAN));
        }
        json_object_set_new(line, "one", singles);
    }
    return line;
}

static json_t *axis_json(const struct axis *axis)
{
    json_t *object = json_object();
    set_text(object, "t", axis->title);
    set_finite(object, "low", axis->low);
    set_finite(object, "high", axis->high);
    set_flag(object, "log", axis->log);
    set_flag(object, "canLog", axis->can_log);
    set_flag(object, "discrete", axis->discrete);
    set_flag(object, "whole", axis->whole);
    set_flag(object, "sign", axis->sign);
    return object;
}

static json_t *rules_json(const struct panel *panel)
{
    json_t *rules = json_array();
    for (size_t i = 0; i < panel->n_rule; i++) {
        const struct rule *rule = &panel->rule[i];
        json_t *object = json_pack("{s:o}", "at", json_number(rule->at));
        set_flag(object, "v", rule->vertical);
        set_text(object, "t", rule->title);
        set_flag(object, "beside", rule->beside);
        json_array_append_new(rules, object);
    }
    return rules;
}

/* A panel has the values of x of its first line, and other lines where theirs are others. */
static json_t *panel_json(const struct panel *panel, const struct budget *budget)
{
    json_t *lines = json_array(), *first = NULL;
    json_t *object = json_pack("{s:o, s:o, s:o, s:o, s:o}", "f", facets_json(panel->tag), "x",
                               axis_json(&panel->x), "y", axis_json(&panel->y), "rules",
                               rules_json(panel), "lines", lines);
    set_text(object, "t", panel->title);
    set_text(object, "note", panel->note);
    for (size_t i = 0; i < panel->n_series; i++) {
        const struct series *series = &panel->series[i];
        size_t cut = (series->n + budget->max_point - 1) / budget->max_point;
        cut = cut > 0 ? cut : 1;
        json_t *line = line_json(series, cut, budget), *x = x_json(series, cut);
        if (i == 0 || !json_equal(x, first)) {
            json_object_set(i == 0 ? object : line, "at", x);
        }
        first = i == 0 ? x : first;
        json_decref(x);
        json_array_append_new(lines, line);
    }
    return object;
}

static void add_plot(json_t *object, const struct plot *plot, const struct budget *budget)
{
    json_t *panels = json_array();
    for (size_t i = 0; i < plot->n_panel; i++) {
        json_array_append_new(panels, panel_json(&plot->panel[i], budget));
    }
    json_object_set_new(object, "panels", panels);
    set_text(object, "t", plot->title);
    set_text(object, "sub", plot->subtitle && plot->subtitle[0] ? plot->subtitle : NULL);
    set_text(object, "one", plot->single_title);
    set_text(object, "mean", plot->mean_title);
    set_flag(object, "share", plot->share_y);
}

static size_t size_of_plot(const struct plot *plot, const struct budget *budget)
{
    size_t size = 0;
    for (size_t i = 0; i < plot->n_panel; i++) {
        for (size_t k = 0; k < plot->panel[i].n_series; k++) {
            const struct series *series = &plot->panel[i].series[k];
            size_t n = series->n < budget->max_point ? series->n : budget->max_point;
            size += n * (3 + (keeps_singles(series, budget) ? series->n_single : 0)) * FLOAT_CHARS;
        }
    }
    return size;
}

static size_t size_of_plots(const struct document *document, const struct budget *budget)
{
    size_t size = 0;
    for (size_t i = 0; i < document->n_block; i++) {
        const struct block *block = &document->block[i];
        size += block->plot && block->audience & FOR_PAGE ? size_of_plot(block->plot, budget) : 0;
    }
    return size;
}

static struct budget choose_budget(const struct document *document)
{
    struct budget budget = {MAX_POINT, true};
    budget.with_singles = size_of_plots(document, &budget) <= PLOT_BUDGET;
    while (budget.max_point > MIN_POINT && size_of_plots(document, &budget) > PLOT_BUDGET) {
        budget.max_point /= 2;
    }
    return budget;
}

/* ---- sheets ---- */

static json_t *sheet_panel_json(const struct sheet *sheet, size_t i)
{
    const struct sheet_panel *panel = &sheet->panel[i];
    size_t n = sheet_n_plane(sheet) * panel->n_row * panel->n_column;
    json_t *object =
        json_pack("{s:o, s:I, s:o}", "f", facets_json(panel->tag), "n", (json_int_t)panel->n_column,
                  "d", html_root_bytes(panel->value, n, sheet->top));
    set_text(object, "r", sheet->row_title[i / sheet->n_column]);
    set_text(object, "c", sheet->column_title[i % sheet->n_column]);
    set_text(object, "note", panel->note);
    set_text(object, "id", panel->folder);
    if (panel->number) {
        n = panel->n_row * panel->n_column;
        json_object_set_new(object, "m", html_base64(panel->number, n * sizeof *panel->number));
    }
    return object;
}

static json_t *texts_json(const char *const *text, size_t n)
{
    json_t *array = json_array();
    for (size_t i = 0; i < n; i++) {
        json_array_append_new(array, json_text(text[i] ? text[i] : ""));
    }
    return array;
}

static void add_sheet(json_t *object, const struct sheet *sheet)
{
    json_t *panels = json_array(), *dimensions = json_array();
    for (size_t i = 0; i < sheet->n_row * sheet->n_column; i++) {
        if (sheet->panel[i].value) {
            json_array_append_new(panels, sheet_panel_json(sheet, i));
        }
    }
    for (size_t i = 0; i < sheet->n_dimension; i++) {
        const struct sheet_dimension *dimension = &sheet->dimension[i];
        json_array_append_new(
            dimensions, json_pack("{s:o, s:o, s:b}", "t", json_text(dimension->title), "labels",
                                  texts_json((const char *const *)dimension->label, dimension->n),
                                  "mean", (int)dimension->can_mean));
    }
    json_object_set_new(object, "panels", panels);
    json_object_set_new(object, "dims", dimensions);
    json_object_set_new(object, "top", json_number(sheet->top));
    set_flag(object, "faint", sheet->faint);
    set_text(object, "t", sheet->title);
    set_text(object, "scale", sheet->scale_title);
    set_text(object, "down", sheet->down ? sheet->down : "row");
    set_text(object, "right", sheet->right ? sheet->right : "column");
    if (sheet->label) {
        json_object_set_new(object, "labels",
                            texts_json((const char *const *)sheet->label, sheet->n_label));
    }
}

/* ---- blocks ---- */

struct writer {
    const struct document *document;
    struct budget budget;
};

static json_t *blocks_json(struct writer *writer, size_t first, size_t end);

static void add_group(json_t *object, struct writer *writer, size_t begin)
{
    const struct block *block = &writer->document->block[begin];
    if (block->group == GROUP_FILE) {
        struct text text = {0};
        latex_append(&text, writer->document, begin);
        set_text(object, "x", text.data ? text.data : "");
        text_free(&text);
    } else {
        json_object_set_new(object, "f", facets_json(block->tag));
        json_object_set_new(object, "b", blocks_json(writer, begin + 1, block->end));
        set_flag(object, "open", block->open);
    }
}

/* {k: its kind, t: its text, note}, and what its kind has. */
static json_t *block_json(struct writer *writer, size_t i)
{
    static const char *const kinds[] = {
        [BLOCK_HEADING] = "h",   [BLOCK_PARAGRAPH] = "p", [BLOCK_ITEM] = "item",
        [BLOCK_TABLE] = "table", [BLOCK_PLOT] = "plot",   [BLOCK_SHEET] = "sheet",
        [BLOCK_PIVOT] = "pivot"};
    static const char *const groups[] = {[GROUP_SECTION] = "section",
                                         [GROUP_FOLD] = "fold",
                                         [GROUP_CHOICE] = "choice",
                                         [GROUP_OPTION] = "option",
                                         [GROUP_FILE] = "code"};
    static const char *const tones[] = {[TONE_NOTE] = "note", [TONE_WARNING] = "warn"};
    const struct block *block = &writer->document->block[i];
    json_t *object = json_object();
    set_text(object, "k", block->kind == BLOCK_BEGIN ? groups[block->group] : kinds[block->kind]);
    set_text(object, "t", block->text);
    set_text(object, "note", block->note);
    switch (block->kind) {
    case BLOCK_HEADING:
    case BLOCK_ITEM:
        json_object_set_new(object, "l", json_integer(block->level));
        break;
    case BLOCK_PARAGRAPH:
        set_text(object, "s", tones[block->tone]);
        break;
    case BLOCK_TABLE:
        add_table(object, block->table, false);
        break;
    case BLOCK_PLOT:
        add_plot(object, block->plot, &writer->budget);
        break;
    case BLOCK_SHEET:
        add_sheet(object, block->sheet);
        break;
    case BLOCK_PIVOT:
        add_pivot(object, block->pivot);
        break;
    case BLOCK_BEGIN:
        add_group(object, writer, i);
        break;
    case BLOCK_END:
        break;
    }
    return object;
}

static json_t *blocks_json(struct writer *writer, size_t first, size_t end)
{
    json_t *array = json_array();
    for (size_t i = first; i < end; i++) {
        const struct block *block = &writer->document->block[i];
        bool is_file = block->kind == BLOCK_BEGIN && block->group == GROUP_FILE;
        if (is_file || block->audience & FOR_PAGE) {
            json_array_append_new(array, block_json(writer, i));
        }
        i = block->kind == BLOCK_BEGIN ? block->end : i;
    }
    return array;
}

/* ---- levels ---- */

/* [[name, title, sizes of a setting], ...] */
static json_t *levels_json(const struct page_level *level, size_t n, size_t n_size)
{
    json_t *array = json_array();
    for (size_t i = 0; i < n; i++) {
        json_t *sizes = json_array();
        for (size_t k = 0; k < n_size; k++) {
            json_array_append_new(sizes, json_integer((json_int_t)level[i].size[k]));
        }
        json_array_append_new(array, json_pack("[o, o, o]", json_text(level[i].name),
                                               json_text(level[i].title), sizes));
    }
    return array;
}

static json_t *page_json(const struct document *document, const struct page_levels *levels)
{
    struct writer writer = {document, choose_budget(document)};
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:b, s:o, s:o}", "lead",
                     json_text(levels->lead), "sizes", texts_json(levels->size, levels->n_size),
                     "tasks", levels_json(levels->task, levels->n_task, 0), "variants",
                     levels_json(levels->variant, levels->n_variant, 0), "settings",
                     levels_json(levels->setting, levels->n_setting, levels->n_size), "anchor",
                     json_text(levels->runs), "dropped", !writer.budget.with_singles, "colours",
                     html_colours(), "blocks", blocks_json(&writer, 0, document->n_block));
}

/* ---- the file ---- */

enum status page_write(const struct document *document, const struct page_levels *levels,
                       const char *folder, struct error *err)
{
    char path[PATH_SIZE];
    struct text text = {0};
    TRY(path_format(path, err, "%s/report.html", folder));
    json_t *data = page_json(document, levels);
    struct html_page page = {
        .template = page_template, .style = page_style, .script = page_script, .data = data};
    enum status status = html_append_page(&text, &page, err);
    json_decref(data);
    if (status == STATUS_OK) {
        status = text_write_unsynced(&text, path, err);
    }
    text_free(&text);
    return status;
}
