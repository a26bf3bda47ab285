/* terminal: what is at the other end of a stream, and text and tables laid out for it. */
#ifndef QKVLAB_CLI_TERMINAL_H
#define QKVLAB_CLI_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/table.h"

/* terminal_is: the stream is a terminal that can move its cursor. */
bool terminal_is(FILE *stream);

/* terminal_colour: ... and colour is welcome there (NO_COLOR is not set). */
bool terminal_colour(FILE *stream);

/* terminal_width returns its columns, or fallback for anything else. */
size_t terminal_width(FILE *stream, size_t fallback);

/* terminal_print is fprintf with the text cleaned. */
void terminal_print(FILE *stream, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* terminal_say prints a message of the program on stderr, cleaned: "qkvlab: ..." and a line end. */
void terminal_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* terminal_pass is for one of several things: where it cannot be read (STATUS_DATA) that is said
 * and kept in *worst, and does not hide the others. What else is wrong goes to err and is returned.
 */
enum status terminal_pass(enum status status, const struct error *one, enum status *worst,
                          struct error *err);

/* terminal_say_busy warns that other programs took such a share of the processors, see
 * base/contention.h, while something was timed, and of what follows from it. Little, and what is
 * unknown, is passed over. */
void terminal_say_busy(double others, const char *consequence);

/* table_print writes the table to stdout: as aligned text it is fitted to the terminal, and control
 * characters are replaced. table_finish also frees it. */
enum status table_print(const struct table *table, enum format format, struct error *err);
enum status table_finish(struct table *table, enum format format, struct error *err);

#endif
