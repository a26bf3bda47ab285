/* contact_sheet: the first images of every class of a data set on one page, with the class names.
 */
#ifndef QKVLAB_REPORT_CONTACT_SHEET_H
#define QKVLAB_REPORT_CONTACT_SHEET_H

#include "base/status.h"
#include "lab/data/dataset.h"

/* contact_sheet_write draws training images as a PNG: eight of each class, or four where there are
 * more than CONTACT_SHEET_FEW classes. A class with fewer images has gaps. Errors: STATUS_WRITE,
 * STATUS_MEMORY. */
#define CONTACT_SHEET_FEW 20
enum status contact_sheet_write(const char *path, const struct image_data *data, struct error *err);

#endif
