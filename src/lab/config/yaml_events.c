#include "lab/config/yaml_events.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct yaml_events {
    yaml_parser_t parser;
    yaml_event_t event; /* owns the text that was given out last */
    bool has_event;
    const char *text;
    size_t size;
    const char *file;
};

#define BYTE_ORDER_MARK "\xEF\xBB\xBF"

enum status yaml_events_create(struct yaml_events **events, const char *text, size_t size,
                               const char *file, struct error *err)
{
    struct yaml_events *made = calloc(1, sizeof *made);
    *events = made;
    if (!made || !yaml_parser_initialize(&made->parser)) {
        free(made);
        *events = NULL;
        return error_memory(err, "reading %s", file);
    }
    if (size >= strlen(BYTE_ORDER_MARK) && memcmp(text, BYTE_ORDER_MARK, 3) == 0) {
        text += 3;
        size -= 3;
    }
    made->text = text;
    made->size = size;
    made->file = file;
    yaml_parser_set_encoding(&made->parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&made->parser, (const unsigned char *)text, size);
    return STATUS_OK;
}

static void forget_event(struct yaml_events *events)
{
    if (events->has_event) {
        yaml_event_delete(&events->event);
        events->has_event = false;
    }
}

void yaml_events_free(struct yaml_events *events)
{
    if (events) {
        forget_event(events);
        yaml_parser_delete(&events->parser);
        free(events);
    }
}

static struct place place_of(yaml_mark_t mark)
{
    return (struct place){mark.line + 1, mark.column + 1};
}

/* ---- what libyaml complains of ---- */

static struct place place_of_byte(const struct yaml_events *events, size_t offset)
{
    struct place place = {1, 1};
    for (size_t i = 0; i < offset && i < events->size; i++) {
        bool ends = events->text[i] == '\n';
        place.line += ends;
        place.column = ends ? 1 : place.column + 1;
    }
    return place;
}

/* A tab among the blanks that indent a line (counted from 0). */
static bool tab_indents(const struct yaml_events *events, size_t line)
{
    const char *at = events->text, *end = events->text + events->size;
    for (; at && line > 0; line--) {
        at = memchr(at, '\n', (size_t)(end - at));
        at = at ? at + 1 : NULL;
    }
    while (at && at < end && *at == ' ') {
        at++;
    }
    return at && at < end && *at == '\t';
}

static enum status explain_bytes(const struct yaml_events *events, struct error *err)
{
    const yaml_parser_t *parser = &events->parser;
    size_t offset = parser->problem_offset;
    unsigned byte = offset < events->size ? (unsigned char)events->text[offset] : 0;
    return grid_refuse(err, events->file, place_of_byte(events, offset),
                       "expected text in UTF-8, found the byte 0x%02X (%s); is this a YAML file?",
                       byte, parser->problem);
}

static enum status explain(const struct yaml_events *events, struct error *err)
{
    const yaml_parser_t *parser = &events->parser;
    if (parser->error == YAML_MEMORY_ERROR) {
        return error_memory(err, "reading %s", events->file);
    }
    if (parser->error == YAML_READER_ERROR) {
        return explain_bytes(events, err);
    }
    if (tab_indents(events, parser->problem_mark.line)) {
        error_set(err, STATUS_USAGE, "a tab indents this line, where YAML expects blanks");
    } else {
        const char *problem = parser->problem ? parser->problem : "it cannot be read";
        error_set(err, STATUS_USAGE, "this is not YAML: %s%s%s%s",
                  parser->context ? parser->context : "", parser->context ? ", " : "", problem,
                  strstr(problem, "':'") ? " (a colon and a blank stand behind a key)" : "");
    }
    grid_say_place(err, events->file, place_of(parser->problem_mark));
    return STATUS_USAGE;
}

/* ---- what configuration files do without ---- */

static enum status refuse(const struct yaml_events *events, const char *what, struct error *err)
{
    return grid_refuse(err, events->file, place_of(events->event.start_mark), "%s", what);
}

static bool has_control_character(const unsigned char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (text[i] < 0x20 || text[i] == 0x7f) {
            return true;
        }
    }
    return false;
}

static enum status check_scalar(const struct yaml_events *events, struct error *err)
{
    const yaml_event_t *event = &events->event;
    yaml_scalar_style_t style = event->data.scalar.style;
    if (style == YAML_LITERAL_SCALAR_STYLE || style == YAML_FOLDED_SCALAR_STYLE) {
        return refuse(events,
                      "blocks of text (| and >) are not read; write the value behind the colon, as "
                      "in `task: reverse`",
                      err);
    }
    if (event->start_mark.line != event->end_mark.line) {
        return refuse(events,
                      "expected a value in one line, found one over several (a colon and a blank "
                      "stand behind a key)",
                      err);
    }
    if (has_control_character(event->data.scalar.value, event->data.scalar.length)) {
        return refuse(events, "expected plain text, found a control character in it", err);
    }
    return STATUS_OK;
}

/* What a node carries besides its content. */
static const void *anchor_of(const yaml_event_t *event)
{
    return event->type == YAML_SCALAR_EVENT           ? event->data.scalar.anchor
           : event->type == YAML_SEQUENCE_START_EVENT ? event->data.sequence_start.anchor
           : event->type == YAML_MAPPING_START_EVENT  ? event->data.mapping_start.anchor
                                                      : NULL;
}

static const void *tag_of(const yaml_event_t *event)
{
    return event->type == YAML_SCALAR_EVENT           ? event->data.scalar.tag
           : event->type == YAML_SEQUENCE_START_EVENT ? event->data.sequence_start.tag
           : event->type == YAML_MAPPING_START_EVENT  ? event->data.mapping_start.tag
                                                      : NULL;
}

static enum status check(const struct yaml_events *events, struct error *err)
{
    const yaml_event_t *event = &events->event;
    if (event->type == YAML_ALIAS_EVENT || anchor_of(event)) {
        return refuse(events,
                      "anchors and aliases (&name, *name) are not read; write the values out, or "
                      "include a file",
                      err);
    }
    if (tag_of(event)) {
        return refuse(events, "tags (!name) are not read; write the value alone", err);
    }
    return event->type == YAML_SCALAR_EVENT ? check_scalar(events, err) : STATUS_OK;
}

enum status yaml_events_next(struct yaml_events *events, struct yaml_event *event,
                             struct error *err)
{
    forget_event(events);
    if (!yaml_parser_parse(&events->parser, &events->event)) {
        return explain(events, err);
    }
    events->has_event = true;
    *event = (struct yaml_event){.type = events->event.type,
                                 .place = place_of(events->event.start_mark)};
    if (event->type == YAML_SCALAR_EVENT) {
        event->text = (const char *)events->event.data.scalar.value;
    }
    return check(events, err);
}

const char *yaml_event_name(const struct yaml_event *event)
{
    return event->type == YAML_MAPPING_START_EVENT    ? "a mapping"
           : event->type == YAML_SEQUENCE_START_EVENT ? "a list"
                                                      : "a value";
}
