#include "lesson/slides.h"

#include <fontconfig/fontconfig.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/folder.h"
#include "lesson/lesson.h"
#include "lesson/slide.h"

#define LATIN_FONT "DejaVu Sans"
#define FONT_SIZE 128

static const struct {
    const char *name;
    chart_draw *draw;
    const char *task; /* without runs on it there is no picture; NULL: needs none */
} PICTURES[] = {
    {"needed", slide_needed, NULL},    {"gram", slide_gram, NULL},
    {"maps", slide_maps, "reverse"},   {"curves", slide_curves, "reverse"},
    {"seeds", slide_seeds, "reverse"}, {"cache", slide_cache, NULL},
};
#define N_PICTURE (sizeof(PICTURES) / sizeof(PICTURES[0]))

/* ---- a font for the language ---- */

static bool has_letters(const FcCharSet *letters, const char *text)
{
    const FcChar8 *at = (const FcChar8 *)text;
    int left = (int)strlen(text);
    while (left > 0) {
        FcChar32 letter;
        int n = FcUtf8ToUcs4(at, &letter, left);
        if (n <= 0 || !FcCharSetHasChar(letters, letter)) {
            return false;
        }
        at += n;
        left -= n;
    }
    return true;
}

/* Finds the family that fontconfig would take for the language, if it has the letters of the
 * language's own name. */
static bool find_font(const struct lesson_texts *texts, char font[FONT_SIZE])
{
    char wanted[64];
    FcResult result;
    FcChar8 *family = NULL;
    FcCharSet *letters = NULL;
    snprintf(wanted, sizeof wanted, "Noto Sans,Noto Sans CJK KR,sans:lang=%s", texts->code);
    FcPattern *pattern = FcNameParse((const FcChar8 *)wanted);
    FcConfigSubstitute(NULL, pattern, FcMatchPattern);
    FcDefaultSubstitute(pattern);
    FcPattern *found = FcFontMatch(NULL, pattern, &result);
    bool fits = found && FcPatternGetString(found, FC_FAMILY, 0, &family) == FcResultMatch &&
                FcPatternGetCharSet(found, FC_CHARSET, 0, &letters) == FcResultMatch &&
                has_letters(letters, lesson_text(texts, "language"));
    if (fits) {
        snprintf(font, FONT_SIZE, "%s", (const char *)family);
    }
    if (found) {
        FcPatternDestroy(found);
    }
    FcPatternDestroy(pattern);
    return fits;
}

/* ---- writing ---- */

static enum status write_slides(const struct slide *slide, const char *folder, size_t *n_slide,
                                struct error *err)
{
    for (size_t i = 0; i < N_PICTURE; i++) {
        char path[PATH_SIZE];
        const char *task = PICTURES[i].task;
        if (task && lesson_runs_find_task(slide->runs, task) == slide->runs->n_task) {
            continue;
        }
        TRY(path_format(path, err, "%s/%s-%zu-%s.png", folder, slide->texts->code, i + 1,
                        PICTURES[i].name));
        TRY(chart_write_png(path, SLIDE_WIDTH, SLIDE_HEIGHT, PICTURES[i].draw, slide, err));
        ++*n_slide;
    }
    return STATUS_OK;
}

enum status slides_write(const struct lesson_runs *runs, const struct lesson_texts *texts,
                         const char *folder, size_t *n_slide, char *note, size_t note_size,
                         struct error *err)
{
    char font[FONT_SIZE] = LATIN_FONT;
    struct lesson_texts english;
    struct slide slide = {runs, texts, font};
    *n_slide = 0;
    TRY(folder_create(folder, err));
    if (strcmp(texts->code, LESSON_LANGUAGE) == 0 || find_font(texts, font)) {
        return write_slides(&slide, folder, n_slide, err);
    }
    snprintf(note, note_size,
             "no font has the letters of '%s', so the slides are in English; install one, such "
             "as Noto Sans CJK (Debian: fonts-noto-cjk)",
             texts->code);
    enum status status = lesson_texts_read(LESSON_LANGUAGE, &english, err);
    slide.texts = &english;
    if (status == STATUS_OK) {
        status = write_slides(&slide, folder, n_slide, err);
    }
    lesson_texts_free(&english);
    return status;
}
