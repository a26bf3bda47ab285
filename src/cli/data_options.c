#include "cli/data_options.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/folder.h"
#include "cli/signals.h"
#include "cli/terminal.h"

#define PROGRESS_EVERY 500 /* images */

static void add_root(struct data_options *data, const char *path, const char *origin)
{
    if (path && path[0]) {
        data->root[data->options.n_root] = path;
        data->origin[data->options.n_root++] = origin;
    }
}

/* The XDG specification ignores a relative $XDG_CACHE_HOME. */
static bool user_cache(const char *name, char path[PATH_SIZE])
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (cache && cache[0] == '/') {
        return path_format(path, NULL, "%s/qkvlab/%s", cache, name) == STATUS_OK;
    }
    return home && home[0] == '/' &&
           path_format(path, NULL, "%s/.cache/qkvlab/%s", home, name) == STATUS_OK;
}

static bool show_progress(void *context, size_t n_done, size_t n_image)
{
    size_t *n_shown = context;
    if (terminal_is(stderr) && (n_done >= *n_shown + PROGRESS_EVERY || n_done == n_image)) {
        *n_shown = n_done;
        fprintf(stderr, "\rdecoding images: %zu of %zu%s", n_done, n_image,
                n_done == n_image ? "\n" : "");
    }
    return signals_received() == 0;
}

enum status data_options_make(struct data_options *data, const struct arguments *arguments,
                              struct error *err)
{
    static size_t n_shown;
    *data = (struct data_options){0};
    data->options.root = data->root;
    data->options.threads = arguments->threads;
    data->options.context = &n_shown;
    data->options.progress = show_progress;
    if (arguments->data && !folder_exists(arguments->data)) {
        return error_set(err, STATUS_DATA, "--data: there is no folder %s", arguments->data);
    }
    add_root(data, arguments->data, "--data");
    add_root(data, getenv("QKVLAB_DATA"), "$QKVLAB_DATA");
    if (user_cache("data", data->user)) {
        add_root(data, data->user, "user cache");
    }
    for (size_t i = 0; dataset_system_folder[i]; i++) {
        add_root(data, dataset_system_folder[i], "system");
    }
    if (arguments->cache) {
        data->options.cache = arguments->cache;
    } else if (user_cache("images", data->cache)) {
        data->options.cache = data->cache;
    }
    return STATUS_OK;
}
