/* run_files: the arrays beside run.json: the training curve and the attention maps. */
#ifndef QKVLAB_REPORT_RUN_FILES_H
#define QKVLAB_REPORT_RUN_FILES_H

#include <stddef.h>

#include "base/file.h"
#include "base/status.h"

struct curve {
    double *loss;     /* [n_step], of the training batches; NULL: no curve */
    double *accuracy; /* [n_step]; NULL in runs made before it was kept */
    size_t n_step;
};

/* run_files_curve reads curve.csv. Caller frees with curve_free, also on failure. STATUS_DATA where
 * there is no such file or it is not the table of steps 0, 1, 2, ... that a run writes. */
enum status run_files_curve(const char *folder, struct curve *curve, struct error *err);
void curve_free(struct curve *curve);

/* The snapshots of attention maps that a run kept, by step. snapshots_list lists those of a run's
 * folder, none where it kept no maps. Free with snapshots_free, also on failure. */
struct snapshot {
    unsigned long long step;
    char name[32]; /* of its folder in attention/ */
};
struct snapshots {
    struct snapshot *at; /* [n] */
    size_t n;
};
enum status snapshots_list(const char *folder, struct snapshots *snapshots, struct error *err);
void snapshots_free(struct snapshots *snapshots);

/* run_files_attention_folder writes the path of the latest snapshot, attention/step<number>.
 * STATUS_DATA where there is none. */
enum status run_files_attention_folder(const char *folder, char path[PATH_SIZE], struct error *err);

/* run_files_n_snapshot counts the snapshots of attention maps. */
long long run_files_n_snapshot(const char *folder);

/* run_files_check_maps looks whether every snapshot has a whole file [H,T,T] for each layer,
 * without reading the maps. STATUS_DATA says what is missing. */
enum status run_files_check_maps(const char *folder, size_t n_layer, size_t n_head, size_t n_token,
                                 struct error *err);

/* run_files_attention reads a layer's map of the latest snapshot, averaged over heads, [T,T].
 * Caller frees. NULL where it is missing or has another shape. */
float *run_files_attention(const char *folder, long long layer, size_t n_token);

/* Attention maps of one layer. maps_read reads a file of them; STATUS_DATA where it holds no square
 * maps, or not those of n_token (0: any); snapshot_read reads that of a run's snapshot.
 * maps_mean averages over heads, [T,T]: caller frees, NULL when out of memory. */
struct maps {
    float *head; /* [n_head,T,T] */
    size_t n_head, n_token;
};
enum status maps_read(const char *path, size_t n_token, struct maps *maps, struct error *err);
enum status snapshot_read(const char *folder, const struct snapshot *snapshot, size_t layer,
                          size_t n_token, struct maps *maps, struct error *err);
void maps_free(struct maps *maps);
float *maps_mean(const struct maps *maps);

#endif
