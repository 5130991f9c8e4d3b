#include "kernel/command/environment.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "kernel/command/worker.h"

enum {
    FLAT_DIGITS = 4,
    GROUP_DIGITS = 3,
    DIGITS_MOST = 18
}; /* up to 9,999 paths lie in one folder, else 1,000 */

/* ---- of the job ---- */

static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";

/* NAME=VALUE, of a name that is not ours. */
static bool variable_check(const char *word, char why[ENVIRONMENT_WHY_SIZE])
{
    static const char *const ours[] = {"SCOW_TASK",   "SCOW_TASKS", "SCOW_ATTEMPT",
                                       "SCOW_WORKER", "SCOW_SLOT",  "SCOW_OUT"};
    const size_t size = strcspn(word, "=");
    size_t good = strspn(word, letters);
    while (good > 0 && good < size &&
           (strchr(letters, word[good]) || strchr("0123456789", word[good])))
        good++;
    if (good == 0 || good != size || !word[size]) {
        snprintf(why, ENVIRONMENT_WHY_SIZE,
                 "--env has '%.80s', and must be words NAME=VALUE, with quotes around blanks: "
                 "'A=1 B=\"two words\"'",
                 word);
        return false;
    }
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        if (strlen(ours[i]) == size && memcmp(ours[i], word, size) == 0) {
            snprintf(why, ENVIRONMENT_WHY_SIZE,
                     "--env sets %s, which scow sets for every command by itself", ours[i]);
            return false;
        }
    return true;
}

static const char *variables_take(struct environment *environment, char *words, int count,
                                  char why[ENVIRONMENT_WHY_SIZE])
{
    for (int i = 0; i < count; i++, words += strlen(words) + 1) {
        if (!variable_check(words, why))
            return why;
        if (strncmp(words, "PATH=", 5) == 0)
            environment->path = words + 5;
    }
    environment->variables = count;
    return NULL;
}

/* The devices of this worker, which it learned after the commands' spawner began. `at` NULL: only
 * counts bytes. */
static size_t devices_print(char *at, int *count)
{
    static const char *const names[] = {"CUDA_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES",
                                        "SCOW_GPUS"};
    size_t size = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = getenv(names[i]);
        if (!value)
            continue;
        const size_t more = strlen(names[i]) + strlen(value) + 2;
        if (at)
            snprintf(at + size, more, "%s=%s", names[i], value);
        else
            ++*count;
        size += more;
    }
    return size;
}

const char *environment_make(struct environment *environment, const char *folder,
                             const char *variables, const char *out, int64_t tasks,
                             char why[ENVIRONMENT_WHY_SIZE])
{
    const char *wrong = NULL;
    size_t size = 0;
    int count = 0;
    *environment = (struct environment){.out = out, .digits = 1};
    for (int64_t rest = tasks; rest > 9; rest /= 10)
        environment->digits++;
    char *words = variables ? template_words(variables, &size, &count, &wrong) : NULL;
    if (wrong) {
        snprintf(why, ENVIRONMENT_WHY_SIZE, "--env '%.80s' %s", variables, wrong);
        return why;
    }
    const size_t head = folder ? strlen(folder) + 1 : 1;
    const size_t devices = devices_print(NULL, &count);
    environment->size = head + devices + size;
    environment->texts = calloc(environment->size, 1);
    if (environment->texts && folder)
        memcpy(environment->texts, folder, head);
    if (environment->texts)
        devices_print(environment->texts + head, &count);
    if (environment->texts && size > 0)
        memcpy(environment->texts + head + devices, words, size);
    free(words);
    if (!environment->texts)
        return "out of memory while making the job of commands ready";
    return variables_take(environment, environment->texts + head, count, why);
}

void environment_release(struct environment *environment)
{
    free(environment->texts);
    *environment = (struct environment){0};
}

/* ---- of a worker ---- */

/* With all folders before it. False: errno says why not. */
static bool folders_make(const char *path)
{
    char part[PATH_SIZE];
    snprintf(part, sizeof part, "%s", path);
    for (char *slash = strchr(part + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(part, 0777) != 0 && errno != EEXIST)
            return false;
        *slash = '/';
    }
    struct stat status;
    if (mkdir(part, 0777) != 0 && errno != EEXIST)
        return false;
    if (stat(part, &status) == 0 && S_ISDIR(status.st_mode))
        return true;
    errno = ENOTDIR;
    return false;
}

/* Made, and its whole name. */
static int out_settle(struct worker *worker, const struct scow_host *host)
{
    const char *out = worker->job->environment.out;
    char whole[PATH_MAX];
    worker->out[0] = '\0';
    worker->out_group = -1;
    if (!out)
        return SCOW_OK;
    if (strlen(out) >= PATH_SIZE || !folders_make(out) || !realpath(out, whole))
        return host->fail(
            host, "--out-dir %s cannot be made: %s: name a folder that every node can write to",
            out, strerror(errno));
    snprintf(worker->out, PATH_SIZE, "%s", whole);
    return SCOW_OK;
}

int environment_begin(struct worker *worker, const struct scow_host *host)
{
    const struct environment *environment = &worker->job->environment;
    struct stat status;
    const char *folder = environment->texts;
    if (*folder && (stat(folder, &status) != 0 || !S_ISDIR(status.st_mode)))
        return host->fail(host, "--workdir %s is no folder here: make it on every node", folder);
    return out_settle(worker, host);
}

bool environment_prepare(const struct worker *worker)
{
    const struct environment *environment = &worker->job->environment;
    const struct spawner_request request = {
        .verb = SPAWNER_PREPARE, .words = environment->variables, .size = environment->size};
    return spawner_ask(&worker->spawner, &request, environment->texts);
}

/* ---- of a command ---- */

/* The path of task `number`, without its folder unless there is that. */
static size_t out_print(struct worker *worker, const struct slot *slot, int64_t number, char *at,
                        size_t room)
{
    const int most = worker->job->environment.digits,
              digits = most < DIGITS_MOST ? most : DIGITS_MOST;
    if (worker->job->form.mode->lasting)
        return (size_t)snprintf(at, room, "SCOW_OUT=%s/worker-%d.%d", worker->out,
                                worker->batch->rank, slot->number + 1);
    if (digits <= FLAT_DIGITS)
        return (size_t)snprintf(at, room, "SCOW_OUT=%s/%0*" PRId64, worker->out, digits, number);
    const int64_t group = number / 1000;
    if (group != worker->out_group) {
        snprintf(at, room, "%s/%0*" PRId64, worker->out, digits - GROUP_DIGITS, group);
        if (mkdir(at, 0777) != 0 && errno != EEXIST)
            worker_fail(worker, "make a folder in --out-dir", errno);
        worker->out_group = group;
    }
    return (size_t)snprintf(at, room, "SCOW_OUT=%s/%0*" PRId64 "/%0*" PRId64, worker->out,
                            digits - GROUP_DIGITS, group, digits, number);
}

static size_t number_print(const char *name, int64_t number, char *at, int *count)
{
    ++*count;
    return (size_t)snprintf(at, NUMBER_ROOM, "%s=%" PRId64, name, number) + 1;
}

size_t variables_print(struct worker *worker, const struct slot *slot, char *variables, int *count)
{
    const struct mode *mode = worker->job->form.mode;
    const int64_t number = worker->batch->package_first + slot->next + 1;
    char *at = variables;
    *count = 0;
    if (!mode->lasting) {
        at += number_print("SCOW_TASK", number, at, count);
        at += number_print("SCOW_ATTEMPT", slot->attempt, at, count);
    }
    if (mode->answers && !mode->lasting)
        at += number_print("SCOW_TASKS", slot->given - slot->next, at, count);
    at += number_print("SCOW_WORKER", worker->batch->rank, at, count);
    at += number_print("SCOW_SLOT", slot->number + 1, at, count);
    if (!worker->out[0])
        return (size_t)(at - variables);
    ++*count;
    return (size_t)(at - variables) + out_print(worker, slot, number, at, PATH_SIZE + OUT_ROOM) + 1;
}
