/*
 * A plug-in of scow for scripts in Python: every rank has an interpreter of its own, whose
 * functions compute packages in scow's own memory, seen as numpy arrays. README.md says what a
 * script is; plugin.py, which travels within the plug-in, checks what scripts say of themselves.
 */
#include <string.h>

#include <scow.h>

#include "compute.h"
#include "interpreter.h"
#include "script.h"

#ifdef PYTHON_LINES
enum { INPUT_KIND = SCOW_INPUT_LINES };
#define PYTHON_NAME "python-lines"
#define PYTHON_CORE_TASK "what the script makes of one line"
#elif defined PYTHON_LEVELS
enum { INPUT_KIND = SCOW_INPUT_NONE };
#define PYTHON_NAME "python-levels"
#define PYTHON_CORE_TASK "what the script says, of each level"
#else
enum { INPUT_KIND = SCOW_INPUT_NONE };
#define PYTHON_NAME "python"
#define PYTHON_CORE_TASK "what the script says"
#endif

#ifdef PYTHON_LEVELS
enum { LEVELS = 1 };
#else
enum { LEVELS = 0 };
#endif

static const struct scow_parameter parameters[] = {
    [SCRIPT_PATH] = {.name = "script",
                     .kind = SCOW_PATH,
                     .help = "Python file with describe and compute"},
    [SCRIPT_ARGUMENTS] = {.name = "arguments",
                          .kind = SCOW_TEXT,
                          .text = "",
                          .help = "text that the script's functions are given"},
    {.name = NULL}};

/* ---- describing ------------------------------------------------------------------------------ */

/* Bytes of lines; longest is -1 where there is no such input. */
struct lengths {
    long long lines, longest, total;
};

static int lengths_find(const struct scow_host *host, const struct scow_input *input,
                        struct lengths *lengths)
{
    *lengths = (struct lengths){-1, -1, 0};
    if (input->kind != SCOW_INPUT_LINES)
        return SCOW_OK;
    lengths->lines = input->extent[0];
    for (int64_t i = 0; i < input->extent[0]; i++) {
        struct scow_item item;
        const int status = host->read_item(host, i, &item);
        if (status != SCOW_OK)
            return status;
        if ((long long)item.size > lengths->longest)
            lengths->longest = (long long)item.size;
        lengths->total += (long long)item.size;
    }
    return SCOW_OK;
}

static int describe_share(const struct scow_host *host, PyObject *described, int64_t *tasks)
{
    char *bytes;
    Py_ssize_t size;
    long long count;
    if (!PyArg_ParseTuple(described, "y#L", &bytes, &size, &count))
        return interpreter_fail(host, "plugin.py");
    *tasks = count;
    return host->share(host, bytes, (size_t)size);
}

static int python_describe(const struct scow_host *host, const struct scow_value *values,
                           const struct scow_input *input, int64_t *tasks)
{
    struct lengths lengths;
    const char *path = values[SCRIPT_PATH].text;
    if (!path)
        return host->fail(host, "which script? Name it with --script FILE.py");
    int status = lengths_find(host, input, &lengths);
    if (status == SCOW_OK)
        status = interpreter_begin(host, compute_functions);
    if (status != SCOW_OK)
        return status;
    const PyGILState_STATE lock = PyGILState_Ensure();
    PyObject *described = PyObject_CallMethod(interpreter_plugin(), "describe", "ssLLLi", path,
                                              values[SCRIPT_ARGUMENTS].text, lengths.lines,
                                              lengths.longest, lengths.total, (int)LEVELS);
    status = described ? describe_share(host, described, tasks) : interpreter_fail(host, path);
    Py_XDECREF(described);
    PyGILState_Release(lock);
    return status;
}

/* ---- lines ----------------------------------------------------------------------------------- */

#ifdef PYTHON_LINES
/* count + 1 offsets (int64) into the text that follows, then the text. */
static size_t python_package_size_most(const void *opened, int64_t count)
{
    const struct script *script = opened;
    const int64_t text =
        count < script->total / (script->longest + 1) ? count * script->longest : script->total;
    return ((size_t)count + 1) * sizeof(int64_t) + (size_t)text;
}

static int python_pack(const struct scow_host *host, const void *opened, int64_t first,
                       int64_t count, void *package, size_t *size)
{
    const size_t room = python_package_size_most(opened, count);
    int64_t *offsets = package;
    char *text = (char *)(offsets + count + 1);
    const int64_t text_room = (int64_t)(room - (size_t)(text - (char *)package));
    offsets[0] = 0;
    for (int64_t k = 0; k < count; k++) {
        struct scow_item line;
        const int status = host->read_item(host, first + k, &line);
        if (status != SCOW_OK)
            return status;
        if ((int64_t)line.size > text_room - offsets[k])
            return host->fail(host, "changed while it was read: leave it alone during a run");
        memcpy(text + offsets[k], line.bytes, line.size);
        offsets[k + 1] = offsets[k] + (int64_t)line.size;
    }
    *size = (size_t)(text - (char *)package) + (size_t)offsets[count];
    return SCOW_OK;
}
#endif

/* ---- levels ---------------------------------------------------------------------------------- */

#ifdef PYTHON_LEVELS
static int python_next(const struct scow_host *host, const void *opened,
                       const struct scow_survivors *in, int64_t *tasks)
{
    const struct script *script = opened;
    const PyGILState_STATE lock = PyGILState_Ensure();
    PyObject *described = script_next(script, in);
    const int status =
        described ? describe_share(host, described, tasks) : interpreter_fail(host, script->path);
    Py_XDECREF(described);
    PyGILState_Release(lock);
    return status;
}
#endif

/* ---- the task -------------------------------------------------------------------------------- */

const struct scow_task scow_plugin = {
    SCOW_TASK,
    .name = PYTHON_NAME,
    .version = "1",
    .summary = "call functions of a script in Python, with numpy arrays",
    .core_task = PYTHON_CORE_TASK,
    .outcome = "what the script's describe says: records, a grid, a reduction, bytes",
    .parameters = parameters,
    .input = INPUT_KIND,
    .threads = SCOW_THREADS_OWN,
#ifdef PYTHON_LEVELS
    .flags = SCOW_LEVELS,
    .next = python_next,
#endif
    .describe = python_describe,
    .open = script_open,
    .close = script_close,
    .method = script_method,
    .results = script_results,
#ifdef PYTHON_LINES
    .package_size_most = python_package_size_most,
    .pack = python_pack,
#endif
    .workspace_size = compute_size,
    .start = compute_start,
    .stop = compute_stop,
    .compute = compute_batch,
    .place = script_place,
    .reset = script_reset,
    .merge = script_merge,
    .print = script_print,
};
