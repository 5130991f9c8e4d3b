#include "calibrate/go/go_preview.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "calibrate/preview.h"

/* Those that are handed out before any is reported, in that order; at most PREVIEW_MOST. */
static int first_tasks(struct dispatch *dispatch, int64_t tasks[PREVIEW_MOST])
{
    struct package package;
    double now_s = 0;
    int count = 0;
    for (bool waits = false; count < PREVIEW_MOST;) {
        if (dispatch_next(dispatch, now_s, &package) == DISPATCH_SEND)
            for (int64_t k = 0; k < package.count && count < PREVIEW_MOST; k++)
                tasks[count++] = package.first + k;
        else if (waits || !isfinite(dispatch_due_s(dispatch)))
            break;
        else
            waits = true;
        if (waits)
            now_s = fmax(now_s, dispatch_due_s(dispatch));
    }
    return count;
}

static const char *plural(int64_t count)
{
    return count == 1 ? "" : "s";
}

static void numbers_add(const struct scow_task *task, const int64_t *tasks, int count,
                        struct text *text)
{
    text_add(text, "%s runs no commands; it would begin with core task%s (%s)", task->name,
             plural(count), task->core_task);
    for (int k = 0; k < count; k++)
        text_add(text, "%s %" PRId64, k > 0 ? "," : "", job_task_number(tasks[k]));
    text_add(text, "\n");
}

static void go_preview(struct pilot *base, const struct pilot_preview *preview)
{
    (void)base;
    const struct job *job = &preview->making->job;
    const int64_t all = job->setup.tasks;
    int64_t tasks[PREVIEW_MOST];
    struct text text = TEXT_INIT;
    const int count = preview->dispatch ? first_tasks(preview->dispatch, tasks) : 0;
    if (count > 0 && !preview_add(preview->making, tasks, count, &text))
        numbers_add(job->task, tasks, count, &text);
    if (preview->left > count)
        text_add(&text, "and %" PRId64 " more\n", preview->left - count);
    printf("%s", text.bytes ? text.bytes : "");
    fflush(stdout);
    text_release(&text);
    fprintf(stderr,
            "scow go: nothing was run; without --dry-run it would be %" PRId64 " core task%s",
            preview->left, plural(preview->left));
    if (preview->left < all)
        fprintf(stderr, " of %" PRId64 ", for the others are done", all);
    fprintf(stderr, ", each once, on %d worker%s\n", preview->workers, plural(preview->workers));
}

void go_preview_init(struct go_pilot *pilot)
{
    pilot->base.preview = go_preview;
    pilot->quiet = true;
}
