/* config_file: grids of runs, written as YAML.
 *
 *     # what the file is for
 *     include: quick               a preset, or a file beside this one; own keys win over its keys
 *     task: [reverse, swap]        a key of `qkvlab list keys`, with a value or a list
 *     n_embd: 32
 *     seeds: 0-2                   or [0, 1, 2]
 *     without_data:                keys that take over where files of the data set are missing
 *       task: glyphs
 *
 * Documents, separated by ---, are one grid each. Values are taken as they are written: nothing
 * becomes true, null, octal or a date. Anchors, aliases, tags and merge keys are refused.
 */
#ifndef QKVLAB_LAB_CONFIG_FILE_H
#define QKVLAB_LAB_CONFIG_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "lab/config/grid_list.h"

/* Largest file that is read. */
#define CONFIG_FILE_MAX_SIZE ((size_t)1 << 20)

/* config_file_is_path: the word names a file, not a preset: it has a slash, or ends in .yaml or
 * .yml. */
bool config_file_is_path(const char *word);

/* config_file_read appends the grids of a file or of a preset to a list. Errors: STATUS_USAGE with
 * file, line and column, what was expected and what was found; the list keeps what was read. */
enum status config_file_read(const char *name, struct grid_list *list, struct error *err);

/* config_file_parse does the same with a text; file is its name in errors, and where its includes
 * are looked for. */
enum status config_file_parse(const char *text, size_t size, const char *file,
                              struct grid_list *list, struct error *err);

#endif
