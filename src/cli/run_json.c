#include "cli/run_json.h"

#include "base/file.h"
#include "base/path.h"
#include "lab/record/record.h"

json_t *run_json_read(const char *out, const char *id)
{
    char folder[PATH_SIZE], path[PATH_SIZE];
    json_t *root = NULL;
    if (record_path(out, id, folder, NULL) == STATUS_OK &&
        path_format(path, NULL, "%s/run.json", folder) == STATUS_OK && file_exists(path)) {
        json_read(path, &root, NULL);
    }
    return root;
}
