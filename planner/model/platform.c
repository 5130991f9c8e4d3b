#include "planner/model/platform.h"

#include <math.h>
#include <stdlib.h>

#include "planner/base/parameter.h"

static const struct cost no_cost = {0, 0};

/* The core tasks of a package; they may be fractions. */
struct task_span {
    double first, load;
};

static bool cost_same(struct cost a, struct cost b)
{
    return a.latency_s == b.latency_s && a.s_per_task == b.s_per_task;
}

static bool class_same(const struct platform_class *a, const struct platform_class *b)
{
    return a->holds == b->holds && cost_same(a->link, b->link) &&
           cost_same(a->receive, b->receive) && cost_same(a->compute, b->compute) &&
           cost_same(a->output, b->output) && cost_same(a->result, b->result) &&
           cost_same(a->request, b->request) && a->start_s == b->start_s &&
           a->fetch_s == b->fetch_s;
}

/* How a profile's workers become classes. */
struct classing {
    const struct profile_window *largest; /* the window of the largest packages, where results are
                                             written asynchronously; else NULL */
    bool returns;                         /* results return */
};

static struct platform_class class_of(const struct profile_worker *worker,
                                      const struct classing *classing)
{
    return (struct platform_class){.link = worker->link.cost,
                                   .receive = worker->receive.cost,
                                   .compute = worker->compute.cost,
                                   .output = worker->output.cost,
                                   .result = classing->returns ? worker->result.cost : no_cost,
                                   .request = worker->request.cost,
                                   .holds = PLATFORM_HOLDS_ALL,
                                   .start_s = worker->start.cost.latency_s,
                                   .fetch_s = worker->fetch_s};
}

static void class_append(struct platform_window *window, struct platform_class class, int64_t first,
                         int64_t count)
{
    if (window->class_count > 0) {
        struct platform_class *last = &window->classes[window->class_count - 1];
        if (class_same(last, &class)) {
            last->count += count;
            return;
        }
    }
    class.first = first;
    class.count = count;
    window->classes[window->class_count++] = class;
}

/* Where results are written asynchronously: goes through the workers of the window of the largest
 * packages. */
struct walk {
    const struct profile_window *largest; /* NULL: results are not written asynchronously */
    size_t class;
    int64_t end; /* of the workers that were gone through */
};

static enum platform_holds walk_to(struct walk *walk, int64_t worker)
{
    const struct profile_window *window = walk->largest;
    while (walk->end <= worker)
        walk->end += window->workers[walk->class ++].count;
    const struct profile_worker *class = &window->workers[walk->class - 1];
    const double most = (double)window->greatest;
    const double work_s = cost_of(class->receive.cost, most) + cost_of(class->compute.cost, most);
    return cost_of(class->output.cost, most) > work_s ? PLATFORM_HOLDS_OUTPUT
                                                      : PLATFORM_HOLDS_COMPUTE;
}

/* Appends the workers first .. end - 1, which are of one class of the profile. */
static void workers_append(struct platform_window *window, struct platform_class class,
                           struct walk *walk, int64_t first, int64_t end)
{
    while (walk->largest && first < end) {
        class.holds = walk_to(walk, first);
        const int64_t until = walk->end < end ? walk->end : end;
        class_append(window, class, first, until - first);
        first = until;
    }
    if (first < end)
        class_append(window, class, first, end - first);
}

static bool window_init(struct platform_window *window, const struct profile_window *from,
                        const struct classing *classing, int64_t workers)
{
    struct walk walk = {.largest = classing->largest};
    const size_t classes =
        from->worker_count + (classing->largest ? classing->largest->worker_count : 0);
    *window = (struct platform_window){.least = from->least,
                                       .greatest = from->greatest,
                                       .envelope = from->envelope.cost,
                                       .send = from->send.cost,
                                       .answer = from->answer.cost,
                                       .collect = classing->returns ? from->collect.cost : no_cost};
    window->classes = calloc(classes, sizeof *window->classes);
    if (!window->classes)
        return false;
    int64_t first = 0;
    for (size_t k = 0; k < from->worker_count && first < workers; k++) {
        int64_t count = from->workers[k].count;
        if (count > workers - first)
            count = workers - first;
        workers_append(window, class_of(&from->workers[k], classing), &walk, first, first + count);
        first += count;
    }
    return true;
}

double memory_greatest(const struct profile_setting *setting)
{
    const int64_t greatest = setting->windows[setting->window_count - 1].greatest;
    return setting->memory.bytes + setting->memory.bytes_per_task * (double)greatest;
}

double memory_messages(const struct memory *memory, double largest, int64_t workers, int buffers)
{
    const double message = memory_message(memory, largest);
    const double all = ((double)workers * buffers + 1) * message;
    return fmax(fmin(PLATFORM_MESSAGES_MOST, all), 2 * message);
}

bool platform_writes_behind(const struct profile_setting *setting)
{
    const struct parameter *own = parameter_list_find(&setting->parameters, PLATFORM_WRITE_BEHIND);
    return own ? parameter_is_yes(own) : setting->write_behind;
}

static bool results_measured(const struct profile_setting *setting)
{
    for (size_t w = 0; w < setting->window_count; w++)
        for (size_t k = 0; k < setting->windows[w].worker_count; k++)
            if (!cost_same(setting->windows[w].workers[k].result.cost, no_cost))
                return true;
    return false;
}

enum results platform_returns(const struct profile_setting *setting)
{
    const struct parameter *own = parameter_list_find(&setting->parameters, RESULTS_PARAMETER);
    enum results results = setting->results;
    if (own && own->word)
        results_find(own->word, &results);
    if (results != RESULTS_UNSAID)
        return results;
    return results_measured(setting) ? RESULTS_PACKAGE : RESULTS_NONE;
}

void platform_describe_results(const struct profile_setting *setting, struct text *text)
{
    const enum results results = platform_returns(setting);
    if (results == RESULTS_PACKAGE)
        text_add(text, "results     come back to the master, each package's when it is computed\n");
    else if (results == RESULTS_END)
        text_add(text, "results     come back to the master, a worker's after its last package\n");
    else if (results_measured(setting))
        text_add(text,
                 "results     do not come back (\"results\": \"none\"): their cost \"result\" is "
                 "ignored\n");
}

bool platform_init(struct platform *platform, const struct profile_setting *setting,
                   int64_t worker_most, struct failure *failure)
{
    int64_t workers = profile_workers(&setting->windows[0]);
    if (worker_most > 0 && worker_most < workers)
        workers = worker_most;
    struct platform made = {.worker_count = workers, .buffers = PLATFORM_BUFFERS};
    made.write_behind = platform_writes_behind(setting);
    made.results = platform_returns(setting);
    made.operating = setting->operating;
    const struct classing classing = {
        .largest = made.write_behind ? &setting->windows[setting->window_count - 1] : NULL,
        .returns = results_return(made.results)};
    made.windows = calloc(setting->window_count, sizeof *made.windows);
    if (!made.windows)
        return failure_memory(failure, "describing the platform");
    for (size_t k = 0; k < setting->window_count; k++) {
        made.window_count++;
        if (!window_init(&made.windows[k], &setting->windows[k], &classing, workers)) {
            platform_release(&made);
            return failure_memory(failure, "describing the platform");
        }
    }
    *platform = made;
    return true;
}

void platform_release(struct platform *platform)
{
    for (int64_t k = 0; k < platform->window_count; k++)
        free(platform->windows[k].classes);
    free(platform->windows);
    work_release(&platform->work);
    work_release(&platform->bytes);
    *platform = (struct platform){0};
}

bool platform_map(struct platform *platform, const struct profile_setting *setting, double tasks,
                  struct failure *failure)
{
    const struct work *bytes = profile_setting_bytes(setting);
    work_release(&platform->work);
    work_release(&platform->bytes);
    platform->work_tasks = tasks;
    platform->weighed = profile_setting_placed(setting, tasks);
    return (profile_setting_work(setting, &platform->work) &&
            (!bytes || work_copy(&platform->bytes, bytes))) ||
           failure_memory(failure, "describing the platform");
}

static bool cost_alike(struct cost a, struct cost b)
{
    return a.latency_s == b.latency_s && a.s_per_task == b.s_per_task;
}

static bool class_alike(const struct platform_class *a, const struct platform_class *b)
{
    return a->count == b->count && a->holds == b->holds && a->start_s == b->start_s &&
           cost_alike(a->link, b->link) && cost_alike(a->receive, b->receive) &&
           cost_alike(a->compute, b->compute) && cost_alike(a->output, b->output) &&
           cost_alike(a->result, b->result);
}

bool platform_alike(const struct platform *a, const struct platform *b)
{
    for (int64_t w = 0; w < a->window_count; w++) {
        const struct platform_window *left = &a->windows[w], *right = &b->windows[w];
        if (left->class_count != right->class_count)
            return false;
        for (int64_t k = 0; k < left->class_count; k++)
            if (!class_alike(&left->classes[k], &right->classes[k]))
                return false;
    }
    return true;
}

struct platform platform_unplaced(const struct platform *from)
{
    struct platform made = *from;
    made.work = made.bytes = (struct work){.tasks = 0};
    return made;
}

static bool window_part(const struct platform_window *from, int64_t before, int64_t workers,
                        struct platform_window *window)
{
    *window = *from;
    window->class_count = 0;
    window->classes = calloc((size_t)from->class_count, sizeof *window->classes);
    for (int64_t k = 0; window->classes && k < from->class_count; k++) {
        struct platform_class class = from->classes[k];
        const int64_t first = class.first > before ? class.first - before : 0;
        const int64_t end = class.first + class.count - before;
        class.first = first;
        class.count = (end < workers ? end : workers) - first;
        if (class.count > 0)
            window->classes[window->class_count++] = class;
    }
    return window->classes != NULL;
}

void platform_part_release(struct platform *part)
{
    part->work = part->bytes = (struct work){.tasks = 0};
    platform_release(part);
}

bool platform_part(const struct platform *from, int64_t before, int64_t workers,
                   struct platform *part)
{
    struct platform made = *from;
    made.worker_count = workers;
    made.window_count = 0;
    made.windows = calloc((size_t)from->window_count, sizeof *made.windows);
    for (int64_t k = 0; made.windows && k < from->window_count; k++) {
        made.window_count++;
        if (!window_part(&from->windows[k], before, workers, &made.windows[k])) {
            platform_part_release(&made);
            return false;
        }
    }
    *part = made;
    return made.windows != NULL;
}

/* The time of these core tasks by their work, divided by that of as many mean ones. */
static double work_weight(const struct work *work, double tasks, struct cost cost,
                          struct task_span span)
{
    const double all_s = cost_of(cost, span.load);
    if (!work_differs(work) || !(all_s > 0))
        return 1;
    const double share = fmin(1, cost.s_per_task * span.load / all_s);
    return 1 + share * (work_mean_cost(work, tasks, span.first, span.load) - 1);
}

double platform_work(const struct platform *platform, double first, double count)
{
    return work_mean_cost(&platform->work, platform->work_tasks, first - platform->work_first,
                          count);
}

double platform_weight(const struct platform *platform, struct cost compute, double first,
                       double load)
{
    return work_weight(&platform->work, platform->work_tasks, compute,
                       (struct task_span){first - platform->work_first, load});
}

double platform_bulk(const struct platform *platform, struct cost transfer, double first,
                     double load)
{
    return work_weight(&platform->bytes, platform->work_tasks, transfer,
                       (struct task_span){first - platform->work_first, load});
}

/* A fractional load lies in a window if a neighbouring whole number does, so that loads of
 * real-valued plans may lie between two adjacent windows. */
const struct platform_window *platform_find(const struct platform *platform, double load)
{
    for (int64_t k = 0; k < platform->window_count; k++) {
        const struct platform_window *window = &platform->windows[k];
        if (ceil(load) >= (double)window->least && floor(load) <= (double)window->greatest)
            return window;
    }
    return NULL;
}

/* How far a load lies outside the window. */
static double window_distance(const struct platform_window *window, double load)
{
    return fmax((double)window->least - load, load - (double)window->greatest);
}

const struct platform_window *platform_nearest(const struct platform *platform, double load)
{
    const struct platform_window *nearest = &platform->windows[0];
    for (int64_t k = 1; k < platform->window_count; k++)
        if (window_distance(&platform->windows[k], load) < window_distance(nearest, load))
            nearest = &platform->windows[k];
    return nearest;
}

const struct platform_class *platform_worker(const struct platform_window *window, int64_t worker)
{
    int64_t low = 0, high = window->class_count - 1;
    while (low < high) {
        int64_t middle = low + (high - low + 1) / 2;
        if (window->classes[middle].first <= worker)
            low = middle;
        else
            high = middle - 1;
    }
    return &window->classes[low];
}

double platform_start(const struct platform *platform, int64_t worker)
{
    return platform->window_count > 0 ? platform_worker(&platform->windows[0], worker)->start_s : 0;
}

double platform_start_most(const struct platform *platform, bool *equal)
{
    const struct platform_window *window = &platform->windows[0];
    double most_s = window->classes[0].start_s, least_s = most_s;
    for (int64_t k = 1; k < window->class_count; k++) {
        most_s = fmax(most_s, window->classes[k].start_s);
        least_s = fmin(least_s, window->classes[k].start_s);
    }
    if (equal)
        *equal = !(least_s < most_s);
    return most_s;
}

double platform_ideal(const struct platform *platform, double tasks)
{
    const struct platform_window *window = &platform->windows[platform->window_count - 1];
    double speed = 0;
    for (int64_t k = 0; k < window->class_count; k++) {
        const struct platform_class *class = &window->classes[k];
        speed += (double)class->count / platform_class_work(class).s_per_task;
    }
    return tasks / speed;
}

/* The cost of getting a counter's next number. */
static struct cost fetch_of(const struct platform_class *class, struct cost answer)
{
    if (class->fetch_s > 0)
        return (struct cost){class->fetch_s, 0};
    return (struct cost){fmax(class->request.latency_s - answer.latency_s, 0),
                         fmax(class->request.s_per_task - answer.s_per_task, 0)};
}

void platform_leave_master_out(struct platform *platform)
{
    const struct cost nothing = {0, 0};
    for (int64_t w = 0; w < platform->window_count; w++) {
        struct platform_window *window = &platform->windows[w];
        for (int64_t k = 0; k < window->class_count; k++) {
            struct platform_class *class = &window->classes[k];
            class->link = nothing;
            class->request = fetch_of(class, window->answer);
        }
        window->envelope = window->send = window->answer = nothing;
    }
}
