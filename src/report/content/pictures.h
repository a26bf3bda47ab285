/* pictures: what models of images look at and what they confuse. */
#ifndef QKVLAB_REPORT_PICTURES_H
#define QKVLAB_REPORT_PICTURES_H

#include "report/document/document.h"
#include "report/frame/group.h"

/* Each says a setting's sheets; nothing where no run kept what they show. say_class_token: the
 * variants side by side on the same images, see image_sheets.h. say_confusions: those of the first
 * finished run of each cell; for the page as many as *page_room squares hold, which it takes. */
#define CONFUSIONS_PAGE_ROOM ((size_t)200000)
void say_class_token(struct document *document, const struct group *setting);
void say_confusions(struct document *document, const struct group *setting, size_t *page_room);

#endif
