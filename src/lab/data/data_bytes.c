/* gzip is read with inflate on the mapped file: zlib's own file functions would pass a web page
 * through as if it were data, and take a file that ends early for a whole one.
 */
#include "lab/data/data_bytes.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#define MAX_RATIO 1032 /* deflate's best: 258 bytes for two bits */
#define HASH_CHUNK ((size_t)1 << 18)

/* ---- files --------------------------------------------------------------------------------- */

static enum status map_open_file(int fd, const char *path, struct data_bytes *bytes,
                                 struct error *err)
{
    struct stat info;
    if (fstat(fd, &info) != 0) {
        return error_set(err, STATUS_DATA, "cannot read %s: %s", path, strerror(errno));
    }
    if (!S_ISREG(info.st_mode)) {
        return error_set(err, STATUS_DATA, "cannot read %s: it is a %s, expected a file", path,
                         S_ISDIR(info.st_mode) ? "folder" : "device or pipe");
    }
    if (info.st_size == 0) {
        return error_set(err, STATUS_DATA, "%s is empty (0 bytes)", path);
    }
    void *data = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (data == MAP_FAILED) {
        return error_set(err, STATUS_DATA, "cannot map %s: %s", path, strerror(errno));
    }
    *bytes = (struct data_bytes){.data = data, .size = (size_t)info.st_size, .mapped = true};
    return STATUS_OK;
}

enum status data_bytes_map(const char *path, struct data_bytes *bytes, struct error *err)
{
    *bytes = (struct data_bytes){0};
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe must not wait for a writer */
    if (fd < 0) {
        return error_set(err, STATUS_DATA, "cannot open %s: %s", path, strerror(errno));
    }
    enum status status = map_open_file(fd, path, bytes, err);
    close(fd);
    return status;
}

void data_bytes_free(struct data_bytes *bytes)
{
    if (bytes->mapped) {
        munmap((void *)(uintptr_t)bytes->data, bytes->size);
    } else {
        free((void *)(uintptr_t)bytes->data);
    }
    *bytes = (struct data_bytes){0};
}

/* ---- gzip ---------------------------------------------------------------------------------- */

bool data_bytes_are_gzip(const struct data_bytes *bytes)
{
    return bytes->size >= 2 && bytes->data[0] == 0x1f && bytes->data[1] == 0x8b;
}

bool data_bytes_can_unpack_to(const struct data_bytes *packed, size_t size)
{
    return size / MAX_RATIO <= packed->size;
}

/* inflate counts in unsigned int, files in size_t: both sides are fed in pieces. */
struct unpacker {
    z_stream stream;
    const struct data_bytes *packed;
    size_t n_in; /* packed bytes given to zlib */
};

static bool unpacker_begin(struct unpacker *unpacker, const struct data_bytes *packed)
{
    *unpacker = (struct unpacker){.packed = packed};
    return inflateInit2(&unpacker->stream, 16 + MAX_WBITS) == Z_OK;
}

static void feed(struct unpacker *unpacker)
{
    size_t left = unpacker->packed->size - unpacker->n_in;
    size_t n = left < UINT_MAX ? left : UINT_MAX;
    if (unpacker->stream.avail_in == 0 && n > 0) {
        unpacker->stream.next_in = (Bytef *)(uintptr_t)(unpacker->packed->data + unpacker->n_in);
        unpacker->stream.avail_in = (uInt)n;
        unpacker->n_in += n;
    }
}

/* A gzip file may be several in a row; whatever else follows is not data. */
static bool next_member(struct unpacker *unpacker)
{
    feed(unpacker);
    const Bytef *next = unpacker->stream.next_in;
    return unpacker->stream.avail_in >= 2 && next[0] == 0x1f && next[1] == 0x8b &&
           inflateReset(&unpacker->stream) == Z_OK;
}

/* Writes until out is full or the data end; *n_out < size exactly when they end. */
static enum status unpacker_read(struct unpacker *unpacker, const char *path, uint8_t *out,
                                 size_t size, size_t *n_out, struct error *err)
{
    z_stream *stream = &unpacker->stream;
    *n_out = 0;
    while (*n_out < size) {
        size_t left = size - *n_out;
        uInt room = (uInt)(left < UINT_MAX ? left : UINT_MAX);
        feed(unpacker);
        stream->next_out = out + *n_out;
        stream->avail_out = room;
        int result = inflate(stream, Z_NO_FLUSH);
        *n_out += room - stream->avail_out;
        if (result == Z_STREAM_END ? !next_member(unpacker) : result == Z_BUF_ERROR) {
            return STATUS_OK;
        }
        if (result == Z_MEM_ERROR) {
            return error_memory(err, "unpacking %s", path);
        }
        if (result != Z_OK && result != Z_STREAM_END) {
            return error_set(err, STATUS_DATA,
                             "%s is damaged: zlib stops at byte %zu of %zu, after %zu unpacked "
                             "bytes: %s; download it again",
                             path, unpacker->n_in - stream->avail_in, unpacker->packed->size,
                             *n_out, stream->msg ? stream->msg : "bad data");
        }
    }
    return STATUS_OK;
}

enum status data_bytes_unpack(const struct data_bytes *packed, const char *path, uint8_t *out,
                              size_t size, size_t *n_out, struct error *err)
{
    struct unpacker unpacker;
    *n_out = 0;
    if (!unpacker_begin(&unpacker, packed)) {
        return error_memory(err, "unpacking %s", path);
    }
    enum status status = unpacker_read(&unpacker, path, out, size, n_out, err);
    inflateEnd(&unpacker.stream);
    return status;
}

/* ---- what is in it ------------------------------------------------------------------------- */

static enum status hash_packed(const struct data_bytes *packed, const char *path,
                               struct sha256 *sha256, size_t *size, struct error *err)
{
    struct unpacker unpacker;
    uint8_t *chunk = malloc(HASH_CHUNK);
    if (!chunk || !unpacker_begin(&unpacker, packed)) {
        free(chunk);
        return error_memory(err, "unpacking %s", path);
    }
    enum status status;
    size_t n = 0;
    do {
        status = unpacker_read(&unpacker, path, chunk, HASH_CHUNK, &n, err);
        sha256_add(sha256, chunk, n);
        *size += n;
    } while (status == STATUS_OK && n == HASH_CHUNK);
    inflateEnd(&unpacker.stream);
    free(chunk);
    return status;
}

enum status data_bytes_hash(const char *path, char hex[SHA256_HEX_SIZE], size_t *size,
                            struct error *err)
{
    struct data_bytes bytes;
    struct sha256 sha256;
    *size = 0;
    TRY(data_bytes_map(path, &bytes, err));
    enum status status = STATUS_OK;
    sha256_begin(&sha256);
    if (data_bytes_are_gzip(&bytes)) {
        status = hash_packed(&bytes, path, &sha256, size, err);
    } else {
        sha256_add(&sha256, bytes.data, bytes.size);
        *size = bytes.size;
    }
    sha256_end(&sha256, hex);
    data_bytes_free(&bytes);
    return status;
}

static const char *guess_kind(const char *beginning)
{
    static const struct {
        const char *beginning, *kind;
    } kinds[] = {{"<!doctype", " (a web page)"},  {"<html", " (a web page)"},
                 {"<?xml", " (an XML page)"},     {"version https://git-lfs", " (a Git LFS link)"},
                 {"PK\x03\x04", " (a ZIP file)"}, {"\x89PNG", " (a PNG picture)"}};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        size_t n = strlen(kinds[i].beginning);
        bool same = true;
        for (size_t k = 0; same && k < n; k++) {
            same = tolower((unsigned char)beginning[k]) ==
                   tolower((unsigned char)kinds[i].beginning[k]);
        }
        if (same) {
            return kinds[i].kind;
        }
    }
    return "";
}

void data_bytes_describe(const uint8_t *data, size_t size, char text[DATA_BYTES_TEXT_SIZE])
{
    enum { N_TEXT = 16, N_HEX = 4, N_LOOKED_AT = 32 };
    char beginning[N_LOOKED_AT + 1] = "";
    memcpy(beginning, data, size < N_LOOKED_AT ? size : N_LOOKED_AT);
    size_t n_printable = 0;
    while (n_printable < N_TEXT && isascii(beginning[n_printable]) &&
           isprint(beginning[n_printable])) {
        n_printable++;
    }
    if (n_printable >= N_HEX) {
        snprintf(text, DATA_BYTES_TEXT_SIZE, "'%.*s'%s", (int)n_printable, beginning,
                 guess_kind(beginning));
        return;
    }
    size_t n_written = 0;
    text[0] = '\0';
    for (size_t i = 0; i < N_HEX && i < size; i++) {
        n_written += (size_t)snprintf(text + n_written, DATA_BYTES_TEXT_SIZE - n_written, "%s%02x",
                                      i ? " " : "bytes ", data[i]);
    }
    snprintf(text + n_written, DATA_BYTES_TEXT_SIZE - n_written, "%s", guess_kind(beginning));
}
