/* slides: the key pictures of the lesson, 1920 x 1080, with their captions. */
#ifndef QKVLAB_LESSON_SLIDES_H
#define QKVLAB_LESSON_SLIDES_H

#include "lesson/lesson_runs.h"
#include "lesson/lesson_text.h"

/* slides_write writes <folder>/<language>-<number>-<name>.png and counts them. Where no font has
 * the language's letters, the captions are English and note says so. Pictures that need runs which
 * are not there are left out. Errors: STATUS_WRITE, STATUS_MEMORY. */
enum status slides_write(const struct lesson_runs *runs, const struct lesson_texts *texts,
                         const char *folder, size_t *n_slide, char *note, size_t note_size,
                         struct error *err);

#endif
