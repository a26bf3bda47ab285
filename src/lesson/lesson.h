/* lesson: a page for a classroom on what symmetric attention can and cannot do, and its key
 * pictures as slides. Used by `qkvlab lesson`.
 *
 * Whatever the page says of trained models comes from run folders; lesson.c reads them, never
 * trains. The prose is in src/lesson/text/, a file a language; the page's template, style and
 * widgets are in src/lesson/page/. The page needs nothing beside it and asks for nothing: a policy
 * in it allows its one script and style, by their hashes.
 *
 *     <out>/lesson/symmetry.html         the page, in English
 *     <out>/lesson/symmetry.ko.html      in another language
 *     <out>/lesson/slides/en-1-needed.png ...   1920 x 1080
 */
#ifndef QKVLAB_LESSON_LESSON_H
#define QKVLAB_LESSON_LESSON_H

#include <stdbool.h>
#include <stddef.h>

#include "base/file.h"
#include "base/status.h"
#include "lab/config/config.h"

/* The name of the only lesson, and of the preset with its runs. */
#define LESSON_NAME "symmetry"
#define LESSON_PRESET "lesson"
#define LESSON_LANGUAGE "en"

/* lesson_language_at returns the code of the i-th language, NULL past the last. */
const char *lesson_language_at(size_t i);

struct lesson_request {
    const char *out;
    const struct config *config; /* [n_config], resolved: the runs to use */
    size_t n_config;
    const char *language;
    const char *version; /* of the program, for the page */
    bool slides;
};

struct lesson_summary {
    char page[PATH_SIZE], slides[PATH_SIZE]; /* paths of the page and of the slides' folder */
    size_t n_run, n_missing;                 /* runs used; runs asked for and not finished */
    size_t n_slide;
    char note[256]; /* a sentence on what could not be as asked, or "" */
};

/* lesson_write makes the page, and the slides if they are asked for. Errors: STATUS_USAGE for a
 * language that is not there, STATUS_DATA where no run is finished, STATUS_WRITE, STATUS_MEMORY. */
enum status lesson_write(const struct lesson_request *request, struct lesson_summary *summary,
                         struct error *err);

#endif
