#include <string.h>

#include "base/fault.h"
#include "base/suggest.h"
#include "cli/command.h"
#include "lab/bench/bench.h"
#include "lab/config/preset.h"
#include "lab/data/dataset.h"
#include "lesson/lesson.h"
#include "nn/cost.h"
#include "report/check/compare.h"

static const struct command commands[COMMAND_COUNT] = {
    [COMMAND_QUICK] = {"quick",
                       "",
                       WORD_NONE,
                       0,
                       0,
                       "the first look: sharing variants on six tasks and on images, and a report",
                       {{"qkvlab quick", "all of it, in a few minutes"},
                        {"qkvlab quick --dry-run", "the list of its runs"},
                        {"qkvlab quick --set task=reverse --seeds 0", "one task, one seed"},
                        {"qkvlab quick --jobs 2 --out first-look",
                         "two runs at a time, into a folder"}},
                       "Trains the preset `quick`: seven variants on the six tasks, and the six of "
                       "the paper on one epoch of Fashion-MNIST (on drawn glyphs where its files "
                       "are not found). Writes the report, and prints the mean accuracy, variants "
                       "down, tasks and data set across. A key given with --set replaces the "
                       "preset's, in the part that has such a key or in both; task= leaves the "
                       "other part out.",
                       cmd_quick},
    [COMMAND_RUN] =
        {"run",
         "[FILE.yaml|PRESET]",
         WORD_CONFIG,
         0,
         1,
         "train one run, or a sweep of runs from a file, a preset or --set",
         {{"qkvlab run --set task=reverse --set variant=qkv", "one run at the defaults"},
          {"qkvlab run --set variant=qkv,qk,kv --seeds 0-4", "three variants, five seeds each"},
          {"qkvlab run --set task=mnist --data DIR", "images of a data set"},
          {"qkvlab run sweep.yaml --dry-run", "what a file of yours would train, and how long"},
          {"qkvlab run dynamics --jobs 2 --format csv > runs.csv", "a preset, results as CSV"}},
         "Keys are listed by `qkvlab list keys`, presets by `qkvlab list presets`. A file is YAML: "
         "keys with a value or a list of values, see `qkvlab list presets quick` for one; --set "
         "and --seeds replace what it says. Several values "
         "of a key make a grid; seeds vary fastest. A run that is already in the folder is "
         "skipped, so the same command again goes on where it was interrupted; `qkvlab status` "
         "tells what is missing. Prints the results "
         "of the whole grid. A run that diverges is recorded, the others go on, and the exit "
         "status is 1, also when it was made before. It is 1 as well where a run fails or the "
         "process of one of several --jobs is killed; the same command makes such a run again. "
         "A disk that is full stops the sweep; what is done stays. Images that are "
         "not those of finished runs in OUT are refused before anything is trained; they are "
         "compared only if there is something to train.",
         cmd_run},
    [COMMAND_STATUS] =
        {"status",
         "[OUT]",
         WORD_FOLDER,
         0,
         1,
         "what of a sweep is done, running, interrupted or missing",
         {{"qkvlab status", "the folder qkvlab-out"},
          {"qkvlab status results --format csv", "another one, as CSV"}},
         "Lists every run in OUT/runs, and every run that a sweep into OUT is to make, "
         "with its state: ok, diverged, failed (and why), running, interrupted (begun "
         "by a process that is gone), unreadable or missing. Sweeps keep the list of "
         "their runs, in all shards, in OUT/plans; for what is still to make status "
         "names the command. Remove a file there to forget a sweep. Runs that were "
         "copied into OUT/runs need no plan.",
         cmd_status},
    [COMMAND_REPORT] =
        {"report",
         "[OUT]",
         WORD_FOLDER,
         0,
         1,
         "write tables and figures of the finished runs",
         {{"qkvlab report", "reads qkvlab-out/runs, writes qkvlab-out/report"},
          {"qkvlab report results", "another folder"}},
         "Writes report.md, report.html, report.json, runs.csv, cells.csv, comparisons.csv and "
         "figures to OUT/report, from the run folders alone, and prints the path of report.md.",
         cmd_report},
    [COMMAND_ATTENTION] =
        {"attention",
         "[OUT|RUN]...",
         WORD_FOLDER,
         0,
         (size_t)-1,
         "attention maps as pictures, and their numbers",
         {{"qkvlab attention", "every run in qkvlab-out"},
          {"qkvlab attention qkvlab-out/runs/reverse-qk-s0-*", "some runs"},
          {"qkvlab attention results --format json", "the numbers as JSON"}},
         "Writes a PNG beside every attention map of the runs, and prints for each head of the "
         "last layer the share of attention on the key that the task needs, the share on the "
         "position itself, and how asymmetric the scores are. Runs on images also have pictures of "
         "what the class token looks at in eight test images, by head and as attention rollout, "
         "and OUT/attention shows the variants side by side on them. Train with --set "
         "attention=final to have maps, or attention=snapshots to have them during training too.",
         cmd_attention},
    [COMMAND_LESSON] =
        {"lesson",
         LESSON_NAME,
         WORD_LESSON,
         1,
         1,
         "a page to teach with: how symmetric attention fails",
         {{"qkvlab lesson symmetry", "train, and write qkvlab-out/lesson/symmetry.html"},
          {"qkvlab lesson symmetry --lang ko --out class", "in Korean"},
          {"qkvlab lesson symmetry --slides", "the key pictures too, 1920 x 1080"},
          {"qkvlab lesson symmetry --dry-run", "what it would train, and how long"}},
         "Trains the preset `lesson`, in about two minutes on two quiet cores, or uses the runs "
         "that "
         "are in the folder, and writes one HTML page for students who know matrices and the "
         "softmax: widgets to touch, the trained attention maps through training, exercises. It "
         "needs no network. --set and --seeds change what is trained, as for `quick`. Prints the "
         "path of the page.",
         cmd_lesson},
    [COMMAND_LIST] =
        {"list",
         "[TOPIC [NAME]]",
         WORD_TOPIC,
         0,
         2,
         "variants, tasks, data sets, presets, models, keys or their schema",
         {{"qkvlab list variants", "what shares what, and what follows from it"},
          {"qkvlab list tasks", "formulas and examples"},
          {"qkvlab list presets", "ready-made sweeps, and how long they take here"},
          {"qkvlab list presets quick > my.yaml", "one as a file, to start from"},
          {"qkvlab list keys --format json", "every key for --set, as JSON"}},
         "Without a TOPIC, prints the topics; with the NAME of a preset, its file. The schema is "
         "a JSON Schema of configuration files, for editors.",
         cmd_list},
    [COMMAND_DATA] =
        {"data",
         "ACTION [NAME]",
         WORD_DATA_ACTION,
         1,
         2,
         "image data sets: find, check and show them",
         {{"qkvlab data list", "each data set, where it was looked for and found"},
          {"qkvlab data check mnist", "every byte: sizes, counts, labels, SHA-256"},
          {"qkvlab data check --data ~/Downloads --format json", "all that is there, as JSON"},
          {"qkvlab data show glyphs", "a contact sheet: qkvlab-out/data/glyphs.png"}},
         "ACTION is list, check or show. Data sets are read as their authors publish them, from "
         "--data, $QKVLAB_DATA, the user's cache folder (~/.cache/qkvlab/data) and "
         "/usr/share/datasets, in this order; scripts/fetch_data.sh downloads them. A file that "
         "differs from the published one is a warning, one that cannot be used an error.",
         cmd_data},
    [COMMAND_CROSSCHECK] =
        {"crosscheck",
         "FILE...",
         WORD_FILE,
         1,
         (size_t)-1,
         "compare the engine with another implementation's answers",
         {{"qkvlab crosscheck bundles/qk.safetensors", "one bundle"},
          {"qkvlab crosscheck bundles/*.safetensors", "all of them"}},
         "Each bundle holds weights, a batch, and the logits, attention, gradients and updated "
         "weights that an independent implementation computed. Prints the largest error of each "
         "kind; the exit status is 1 when one is too large.",
         cmd_crosscheck},
    [COMMAND_SELFTEST] =
        {"selftest",
         "",
         WORD_NONE,
         0,
         0,
         "check this machine's arithmetic, in seconds",
         {{"qkvlab selftest", "one line a check"}, {"qkvlab selftest --format json", "as JSON"}},
         "Checks the BLAS library, the error bounds of exp and erf, and that training gives the "
         "same bits at several thread counts. The exit status is 1 when a check fails.",
         cmd_selftest},
    [COMMAND_BENCH] =
        {"bench",
         "",
         WORD_NONE,
         0,
         0,
         "training speed as a share of this machine's matrix products",
         {{"qkvlab bench", "the standard shapes, in about a minute"},
          {"qkvlab bench --shape d64-L2-H4-T64 --threads 1,2", "one shape, one thread and two"},
          {"qkvlab bench --variant qkv --variant qk", "does sharing pay?"},
          {"qkvlab bench --set n_embd=128 --set seq_len=32,64", "shapes of your own"},
          {"qkvlab bench --scaling", "how time and memory grow with T, d, L and batch"}},
         "Times whole training steps (batch, forward, backward, clipping, Adam) and, in between, "
         "matrix products of 1024 x 1024 on every thread at once: the ceiling. Prints the median "
         "of the rounds with the shortest and longest, the share of the ceiling, and where the "
         "time goes. FLOP are nominal: 6 for each multiplication of the forward pass. Nothing else "
         "should run meanwhile; if something did, that is said.",
         cmd_bench},
    [COMMAND_COST] =
        {"cost",
         "[MODEL]",
         WORD_MODEL,
         0,
         1,
         "parameters, multiplications and key-value cache of variants",
         {{"qkvlab cost", "the encoder of the synthetic tasks"},
          {"qkvlab cost 300m --format csv", "a language model, as CSV"},
          {"qkvlab cost 300m --variant kv:n_kv_head=2 --context 8000", "one variant"},
          {"qkvlab cost 1.2b --users --memory 40GB", "how many users fit"},
          {"qkvlab cost vit-cifar10 --set n_embd=256 --set n_layer=4", "other sizes"}},
         "MODEL is one of `qkvlab list models`; --set changes a size of it: n_embd, n_layer, "
         "n_head, mlp_ratio, pos_dim, n_class, and seq_len, n_position, n_symbol of text, "
         "image_size, patch, n_channel of images. Everything is counted on the list of tensors "
         "that a training of the variant would use.",
         cmd_cost},
    [COMMAND_IDENTITIES] =
        {"identities",
         "",
         WORD_NONE,
         0,
         0,
         "the exact relations between variants, measured",
         {{"qkvlab identities", "one line each, with the reason"},
          {"qkvlab identities --set n_embd=128 --set seed=1", "other random weights"},
          {"qkvlab identities --format json", "as JSON"}},
         "Computes both sides of each relation on random weights with plain loops in double "
         "precision, and the same where the premise does not hold. --set takes n_embd, "
         "seq_len and pos_dim from 2 to 256, n_head and seed. The exit status is 1 when a relation "
         "does not hold.",
         cmd_identities},
    [COMMAND_BASELINE] =
        {"baseline",
         "record [FILE.yaml|PRESET]",
         WORD_BASELINE_ACTION,
         1,
         2,
         "keep how models learn, for `check` to compare with",
         {{"qkvlab baseline record --output learning.json", "the preset guard, ten seeds"},
          {"qkvlab baseline record mine.yaml --seeds 0-9 -o mine.json", "a sweep of yours"},
          {"qkvlab baseline record --set task=sort --set variant=kv -o sort.json",
           "one configuration"},
          {"qkvlab baseline record --curves runs -o theirs.json", "another program's curves"}},
         "Trains every configuration, and then again under harmless changes (lanes, micro-batch, "
         "SIMD level) to learn how far rounding may carry two trainings apart. The file holds "
         "curves, escape steps, and fingerprints of gradient and weights. Without a preset, file "
         "or --set it is the preset guard, which is made to show faults in half a minute.",
         cmd_baseline},
    [COMMAND_CHECK] =
        {"check",
         "FILE",
         WORD_FILE,
         1,
         1,
         "does the model still learn the same way as when FILE was recorded?",
         {{"qkvlab check learning.json", "the strictest tier that can be asked here"},
          {"qkvlab check learning.json --tier band --png check.png", "new seeds, with a picture"},
          {"qkvlab check learning.json --junit check.xml", "for a CI system"},
          {"qkvlab check learning.json --set beta2=0.99", "would this change show?"},
          {"qkvlab check theirs.json --curves runs", "curves of another program"}},
         "Trains the runs of the baseline again and compares. Tier exact: same machine class, "
         "build and engine version, so every bit must agree. Tier paired: the same seeds "
         "elsewhere; differences must be those of rounding. Tier band: other seeds or another "
         "program; a permutation test over all curves that gives a false alarm in 1 % of checks. "
         "The exit status is 1 when something differs, which is said first. JSON: passed, "
         "finding, baseline, tier, reason, n_configuration, not_compared (parts without new "
         "curves, which is fine), n_run, p, note, and differences, each with part, what, step, "
         "expected, found, size, limit, p, n_seed_different, n_seed and text; null where a number "
         "does not apply.",
         cmd_check},
    [COMMAND_HELP] = {"help",
                      "[COMMAND]",
                      WORD_COMMAND,
                      0,
                      1,
                      "this overview, or one command's help",
                      {{"qkvlab help", "the overview"},
                       {"qkvlab help run", "the same as qkvlab run --help"}},
                      NULL,
                      cmd_help},
    [COMMAND_COMPLETION] = {"completion",
                            "SHELL",
                            WORD_SHELL,
                            1,
                            1,
                            "print the completion script of a shell",
                            {{"source <(qkvlab completion bash)", "for this bash session"},
                             {"qkvlab completion zsh > ~/.zfunc/_qkvlab",
                              "for zsh, in a folder of its fpath"},
                             {"qkvlab completion fish | source", "for this fish session"}},
                            "SHELL is bash, zsh or fish. `cmake --install` installs all three.",
                            cmd_completion},
    [COMMAND_MAN] = {"man",
                     "",
                     WORD_NONE,
                     0,
                     0,
                     "print the manual page",
                     {{"qkvlab man | man -l -", "read it"}, {"qkvlab man > qkvlab.1", "keep it"}},
                     NULL,
                     cmd_man},
};

const struct command *command_at(size_t id)
{
    return id < COMMAND_COUNT ? &commands[id] : NULL;
}

static const char *const formats[] = {"text", "csv", "json", NULL};
static const char *const topics[] = {"variants", "tasks", "datasets", "presets",
                                     "models",   "keys",  "schema",   NULL};
static const char *const data_actions[] = {"list", "check", "show", NULL};
static const char *const lessons[] = {LESSON_NAME, NULL};
static const char *const baseline_actions[] = {"record", NULL};
static const char *const shells[] = {"bash", "zsh", "fish", NULL};

static const char *list_at(const char *const *list, size_t i)
{
    for (size_t k = 0; k < i; k++) {
        if (!list[k]) {
            return NULL;
        }
    }
    return list[i];
}

const char *word_choice(enum word word, size_t i)
{
    switch (word) {
    case WORD_FORMAT:
        return list_at(formats, i);
    case WORD_TOPIC:
        return list_at(topics, i);
    case WORD_SHELL:
        return list_at(shells, i);
    case WORD_CONFIG:
    case WORD_PRESET:
        return preset_at(i) ? preset_at(i)->name : NULL;
    case WORD_DATA_ACTION:
        return list_at(data_actions, i);
    case WORD_LESSON:
        return list_at(lessons, i);
    case WORD_LANGUAGE:
        return lesson_language_at(i);
    case WORD_DATASET:
        return dataset_at(i) ? dataset_at(i)->name : NULL;
    case WORD_MODEL:
        return cost_model_at(i) ? cost_model_at(i)->name : NULL;
    case WORD_SHAPE:
        return bench_shape_at(i) ? bench_shape_at(i)->name : NULL;
    case WORD_BASELINE_ACTION:
        return list_at(baseline_actions, i);
    case WORD_TIER:
        return i < TIER_COUNT ? tier_name((enum tier)i) : NULL;
    case WORD_FAULT:
        return fault_name(i);
    case WORD_COMMAND:
        return i < COMMAND_COUNT ? commands[i].name : NULL;
    default:
        return NULL;
    }
}

enum status word_check(enum word word, const char *what, const char *text, struct error *err)
{
    const char *choices[32];
    char accepted[512] = "";
    size_t n = 0;
    for (const char *choice; n < 32 && (choice = word_choice(word, n)) != NULL; n++) {
        if (strcmp(choice, text) == 0) {
            return STATUS_OK;
        }
        choices[n] = choice;
        strncat(accepted, n ? ", " : "", sizeof accepted - strlen(accepted) - 1);
        strncat(accepted, choice, sizeof accepted - strlen(accepted) - 1);
    }
    const char *nearest = suggest_nearest(text, choices, n);
    if (nearest) {
        return error_set(err, STATUS_USAGE, "unknown %s '%s': did you mean '%s'? (there are: %s)",
                         what, text, nearest, accepted);
    }
    return error_set(err, STATUS_USAGE, "unknown %s '%s': there %s %s", what, text,
                     n == 1 ? "is only" : "are", accepted);
}

const struct command *command_find(const char *name, struct error *err)
{
    for (size_t id = 0; id < COMMAND_COUNT; id++) {
        if (strcmp(commands[id].name, name) == 0) {
            return &commands[id];
        }
    }
    word_check(WORD_COMMAND, "command", name, err);
    return NULL;
}
