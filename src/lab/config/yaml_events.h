/* yaml_events: libyaml's events, cut down to what configuration files may use.
 *
 * Anchors, aliases and tags are refused here, so are control characters, values over several lines
 * and what is not UTF-8; libyaml's complaints become sentences with file, line and column.
 */
#ifndef QKVLAB_LAB_YAML_EVENTS_H
#define QKVLAB_LAB_YAML_EVENTS_H

#include <stddef.h>
#include <yaml.h>

#include "base/status.h"
#include "lab/config/grid.h"

struct yaml_events;

struct yaml_event {
    yaml_event_type_t type;
    struct place place;
    const char *text; /* of a scalar, in no style but its own words; valid until the next event */
};

/* yaml_events_create borrows text [size] and file, the name for errors. Caller frees with
 * yaml_events_free, also on failure. */
enum status yaml_events_create(struct yaml_events **events, const char *text, size_t size,
                               const char *file, struct error *err);
void yaml_events_free(struct yaml_events *events);

/* yaml_events_next reads the next event; the last one is YAML_STREAM_END_EVENT. STATUS_USAGE. */
enum status yaml_events_next(struct yaml_events *events, struct yaml_event *event,
                             struct error *err);

/* yaml_event_name returns "a list", "a mapping", "a value", ... */
const char *yaml_event_name(const struct yaml_event *event);

#endif
