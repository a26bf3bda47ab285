/* pictures: what models of images look at and what they confuse, for a report and for `attention`.
 */
#ifndef QKVLAB_REPORT_PICTURES_H
#define QKVLAB_REPORT_PICTURES_H

#include "report/document/document.h"
#include "report/frame/frame.h"

/* Each says a setting's pictures; nothing where no run kept what they show.
 * say_class_token: the variants side by side on the same images, class-token-<run id>-rollout.png
 * and -last-layer.png, the runs of the first seed that kept samples. say_confusions: confusion-<run
 * id>.png of the first finished run of each row. */
void say_class_token(struct document *document, const struct group *setting);
void say_confusions(struct document *document, const struct group *setting);

/* pictures_draw_class_token draws the same pictures of every setting of images into folder.
 * *n_picture counts them. Errors: STATUS_WRITE, STATUS_MEMORY. */
enum status pictures_draw_class_token(const struct frame *frame, const char *folder,
                                      size_t *n_picture, struct error *err);

#endif
