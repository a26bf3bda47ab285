/* source_sequences: where the batches of a task over sequences come from. Private to its kind. */
#ifndef QKVLAB_LAB_SOURCE_SEQUENCES_H
#define QKVLAB_LAB_SOURCE_SEQUENCES_H

#include "lab/training/source_kind.h"

extern const struct source_kind source_sequences;

#endif
