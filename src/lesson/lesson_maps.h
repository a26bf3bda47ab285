/* lesson_maps: the attention maps of a run, for the page. */
#ifndef QKVLAB_LESSON_LESSON_MAPS_H
#define QKVLAB_LESSON_LESSON_MAPS_H

#include "base/json.h"
#include "report/frame/run.h"

/* lesson_maps returns a run's attention maps, at most max_snapshot moments with the last among
 * them: {n_layer, n_head, n_token, steps, data: [moment][layer] base64 of bytes [H,T,T], 255 times
 * the root of a share}. A new reference; NULL where the run kept none. */
json_t *lesson_maps(const struct run *run, size_t max_snapshot);

#endif
