#include "spmd/run/live_status.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "planner/base/own.h"
#include "spmd/run/until.h"
#include "spmd/transport/clock.h"

static const double every_s = 3;
/* Writing the status takes no more than this share of the time. */
static const double share_most = 0.01;

/* ---- what it says --------------------------------------------------------------------------- */

static void losses_fill(struct run_status *status, const struct membership *members)
{
    for (int64_t k = 0; k < status->loss_count; k++)
        free(status->losses[k].why);
    free(status->losses);
    status->losses = calloc((size_t)members->loss_count + 1, sizeof *status->losses);
    status->loss_count = status->losses ? members->loss_count : 0;
    for (int64_t k = 0; k < status->loss_count; k++)
        status->losses[k] = (struct status_loss){.worker = members->losses[k].member,
                                                 .why = strdup(members->losses[k].why)};
}

/* Fills in the present state. */
static void status_fill(struct status_writer *writer, double now)
{
    const struct status_setup *setup = &writer->setup;
    const struct summary *summary = &setup->outcome->summary;
    struct run_status *status = &writer->status;
    int64_t slowest = 0;
    double excess = 0;
    status->elapsed_s = now - writer->began_s;
    const int64_t done = summary->tasks + setup->progress->elsewhere;
    status->done = setup->kept + done;
    status->failed = setup->kept_failed + summary->failed + setup->progress->elsewhere_failed;
    status->per_s = status->elapsed_s > 0 ? (double)done / status->elapsed_s : 0;
    status->left_s = progress_left_s(setup->progress, done, status->elapsed_s);
    status->living = membership_living(setup->members) - setup->masters_beside;
    status->slowest = progress_slowest(setup->progress, &slowest, &excess) ? slowest + 1 : 0;
    status->excess = fmax(excess, -1);
    losses_fill(status, setup->members);
}

/* ---- writing it ----------------------------------------------------------------------------- */

static bool text_write(const struct status_writer *writer, const char *text)
{
    FILE *file = own_create(writer->draft);
    if (!file)
        return false;
    const bool written = fputs(text, file) >= 0;
    const bool good = fclose(file) == 0 && written && rename(writer->draft, writer->path) == 0;
    if (!good) {
        const int reason = errno;
        unlink(writer->draft);
        errno = reason;
    }
    return good;
}

static void status_write(struct status_writer *writer)
{
    writer->status.written_s = until_now();
    char *text = status_print(&writer->status, -1);
    if (text && !text_write(writer, text) && !writer->warned) {
        writer->warned = true;
        fprintf(stderr, "%s: %s: cannot be written (%s): the run goes on without it\n",
                writer->setup.command, writer->path, strerror(errno));
    }
    free(text);
}

void status_begin(struct status_writer *writer, const struct status_setup *setup)
{
    static const char ending[] = ".new";
    *writer = (struct status_writer){.setup = *setup, .path = status_path(setup->output)};
    const size_t size = writer->path ? strlen(writer->path) + sizeof ending : 0;
    writer->draft = writer->path ? malloc(size) : NULL;
    if (!writer->draft)
        return;
    snprintf(writer->draft, size, "%s%s", writer->path, ending);
    writer->began_s = clock_now();
    writer->status = (struct run_status){.state = RUN_RUNNING,
                                         .began_s = until_now(),
                                         .every_s = every_s,
                                         .tasks = setup->kept + setup->progress->tasks,
                                         .kept = setup->kept,
                                         .end_s = setup->job_end_s,
                                         .workers = setup->workers,
                                         .master = process_self()};
    status_tell(writer);
}

void status_tell(void *self)
{
    struct status_writer *writer = self;
    const double now = clock_now();
    if (!writer->draft || !writer->setup.progress || now < writer->next_s)
        return;
    status_fill(writer, now);
    status_write(writer);
    writer->status.every_s = fmax(every_s, (clock_now() - now) / share_most);
    writer->next_s = now + writer->status.every_s;
}

void status_pause(struct status_writer *writer)
{
    if (writer->draft)
        status_fill(writer, clock_now());
    writer->setup = (struct status_setup){.command = writer->setup.command};
}

static void writer_release(struct status_writer *writer)
{
    status_release(&writer->status);
    free(writer->path);
    free(writer->draft);
    writer->path = writer->draft = NULL;
}

void status_end(struct status_writer *writer, enum run_state state, const struct summary *summary)
{
    if (writer->draft) {
        writer->status.state = state;
        writer->status.done = summary->tasks;
        writer->status.failed = summary->failed;
        writer->status.left_s = -1;
        status_write(writer);
    }
    writer_release(writer);
}

void status_remove(struct status_writer *writer, const char *output)
{
    char *path = status_path(output);
    if (path)
        unlink(path);
    free(path);
    writer_release(writer);
}
