/* claim: who works on a run folder, as one small file beside its contents. Used by record.c; the
 * lock alone also by image_cache.c.
 */
#ifndef QKVLAB_BASE_CLAIM_H
#define QKVLAB_BASE_CLAIM_H

#include <stdbool.h>
#include <time.h>

#include "base/status.h"

/* lock_take waits for the lock file and takes it; *now is the file system's own clock, against
 * which heartbeats are read (clocks of machines that share a folder differ). lock_give gives it
 * back; so does the end of the process. Errors: STATUS_WRITE. */
enum status lock_take(const char *path, int *lock, struct timespec *now, struct error *err);
void lock_give(int lock);

/* claim_create makes the claim file, which must not exist, and returns it open. Call it with the
 * lock. Errors: STATUS_WRITE. */
enum status claim_create(const char *path, int *fd, struct error *err);

/* claim_is_live: the file at path names a process of this machine that lives, or one elsewhere
 * whose heartbeat is younger than stale_seconds at now. A missing or broken claim is not live. */
bool claim_is_live(const char *path, struct timespec now, int stale_seconds);

/* claim_owner writes who made the claim, "process 4711 on host", "" where the file does not say. */
#define CLAIM_OWNER_SIZE 128
void claim_owner(const char *path, char text[CLAIM_OWNER_SIZE]);

/* claim_is_ours: path still is the file behind fd. claim_beat renews the heartbeat of fd. */
bool claim_is_ours(const char *path, int fd);
void claim_beat(int fd);

#endif
