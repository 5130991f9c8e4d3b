#include "spmd/run/energy.h"

#include <dirent.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* The counter is read at least this often: one with 32 bits in units of 15 microjoules wraps after
 * two minutes at 500 W. */
enum { PERIOD_S = 30 };

/* ---- one counter --------------------------------------------------------------------------- */

/* Reads the first line of a file; false: that is not possible. */
static bool line_read(const char *folder, const char *file, char *line, int size)
{
    char path[ENERGY_PATH_SIZE];
    const int length = snprintf(path, sizeof path, "%s/%s", folder, file);
    FILE *opened = length > 0 && length < (int)sizeof path ? fopen(path, "r") : NULL;
    const bool good = opened && fgets(line, size, opened);
    if (opened)
        fclose(opened);
    if (good)
        line[strcspn(line, "\n")] = '\0';
    return good;
}

static bool number_read(const char *folder, const char *file, uint64_t *number)
{
    char line[64], *end = line;
    if (!line_read(folder, file, line, sizeof line) || line[0] < '0' || line[0] > '9')
        return false;
    *number = strtoull(line, &end, 10);
    return *end == '\0';
}

/* Does the entry count? Packages do, and the memory beside one; everything else is part of a
 * package, or contains several. */
static bool is_counted(const char *folder, const char *entry)
{
    static const char prefix[] = "intel-rapl:"; /* "intel-rapl-mmio:" has the same packages again */
    char name[64];
    if (strncmp(entry, prefix, sizeof prefix - 1) != 0 ||
        !line_read(folder, "name", name, sizeof name))
        return false;
    return strncmp(name, "package", strlen("package")) == 0 || strcmp(name, "dram") == 0;
}

static void counter_add(struct energy_meter *meter, const char *root, const char *entry)
{
    struct energy_counter counter;
    const int length = snprintf(counter.path, sizeof counter.path, "%s/%s", root, entry);
    if (length < 0 || length >= (int)sizeof counter.path || meter->count == ENERGY_COUNTERS_MOST ||
        !is_counted(counter.path, entry))
        return;
    if (number_read(counter.path, "max_energy_range_uj", &counter.range_uj) &&
        number_read(counter.path, "energy_uj", &counter.last_uj))
        meter->counters[meter->count++] = counter;
}

/* ---- all of a node ------------------------------------------------------------------------- */

void energy_meter_begin(struct energy_meter *meter, const char *root)
{
    DIR *folder = opendir(root);
    const struct dirent *entry;
    meter->count = 0;
    meter->energy_j = 0;
    while (folder && (entry = readdir(folder)))
        counter_add(meter, root, entry->d_name);
    if (folder)
        closedir(folder);
}

void energy_meter_advance(struct energy_meter *meter)
{
    for (int k = 0; k < meter->count; k++) {
        struct energy_counter *counter = &meter->counters[k];
        uint64_t now_uj = 0;
        if (!number_read(counter->path, "energy_uj", &now_uj)) {
            meter->count = 0;
            return;
        }
        const uint64_t taken_uj = now_uj >= counter->last_uj
                                      ? now_uj - counter->last_uj
                                      : counter->range_uj - counter->last_uj + now_uj;
        counter->last_uj = now_uj;
        meter->energy_j += 1e-6 * (double)taken_uj;
    }
}

/* ---- in a thread --------------------------------------------------------------------- */

struct energy_watch {
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    bool alive, over;          /* is the thread alive, shall it end */
    struct energy_meter meter; /* protected by the mutex */
};

static void *thread_run(void *self)
{
    struct energy_watch *watch = self;
    pthread_mutex_lock(&watch->mutex);
    while (!watch->over) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec += PERIOD_S;
        pthread_cond_timedwait(&watch->changed, &watch->mutex, &until);
        energy_meter_advance(&watch->meter);
    }
    pthread_mutex_unlock(&watch->mutex);
    return NULL;
}

/* The thread blocks signals: they are for the rank's own thread. */
static bool thread_start(struct energy_watch *watch)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const bool good = pthread_create(&watch->thread, NULL, thread_run, watch) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return good;
}

struct energy_watch *energy_watch_begin(bool first_on_node)
{
    const char *root = getenv(ENERGY_ROOT_VARIABLE);
    struct energy_watch *watch = first_on_node ? calloc(1, sizeof *watch) : NULL;
    if (!watch)
        return NULL;
    energy_meter_begin(&watch->meter, root ? root : ENERGY_ROOT);
    pthread_mutex_init(&watch->mutex, NULL);
    pthread_cond_init(&watch->changed, NULL);
    if (watch->meter.count > 0 && !thread_start(watch))
        watch->meter.count = 0;
    watch->alive = watch->meter.count > 0;
    return watch;
}

double energy_watch_read(struct energy_watch *watch)
{
    if (!watch)
        return 0;
    pthread_mutex_lock(&watch->mutex);
    energy_meter_advance(&watch->meter);
    const double energy_j = watch->meter.count > 0 ? watch->meter.energy_j : (double)NAN;
    pthread_mutex_unlock(&watch->mutex);
    return energy_j;
}

void energy_watch_end(struct energy_watch *watch)
{
    if (!watch)
        return;
    pthread_mutex_lock(&watch->mutex);
    watch->over = true;
    pthread_cond_signal(&watch->changed);
    pthread_mutex_unlock(&watch->mutex);
    if (watch->alive)
        pthread_join(watch->thread, NULL);
    pthread_mutex_destroy(&watch->mutex);
    pthread_cond_destroy(&watch->changed);
    free(watch);
}
