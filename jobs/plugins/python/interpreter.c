#include "interpreter.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "modules.h" /* description.py and plugin.py as bytes; made by CMakeLists.txt */
#include "window.h"

static PyObject *stopped; /* an exception of plugin.py's */
static PyObject *plugin;  /* the module made of plugin.py; NULL before the interpreter is there */

/* Owned, with its traceback; Python's own mark of it is cleared. */
static PyObject *exception_take(void)
{
#if PY_VERSION_HEX >= 0x030C0000
    return PyErr_GetRaisedException();
#else
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    if (trace && value)
        PyException_SetTraceback(value, trace);
    Py_XDECREF(type);
    Py_XDECREF(trace);
    return value;
#endif
}

/* The exception at hand, as a callback's status. */
int interpreter_fail(const struct scow_host *host, const char *path)
{
    PyObject *error = exception_take(), *text = NULL;
    const bool stop = error && PyErr_GivenExceptionMatches(error, stopped);
    if (!stop && error)
        text = PyObject_CallMethod(plugin, "explain", "Os", error, path);
    const char *sentence = text ? PyUnicode_AsUTF8(text) : NULL;
    if (!stop)
        host->fail(host, "%s", sentence ? sentence : "the script failed, and cannot say why");
    PyErr_Clear();
    Py_XDECREF(text);
    Py_XDECREF(error);
    return stop ? SCOW_STOPPED : SCOW_FAILED;
}

/* scow loads plug-ins each for itself, but modules like numpy's find Python's functions among those
 * that are there for all. */
static void library_show(void)
{
    Dl_info library;
    const void *inside = &PyExc_Exception;
    if (dladdr(inside, &library) && library.dli_fname)
        dlopen(library.dli_fname, RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD);
}

/* One thread for numpy's linear algebra where the user does not say otherwise: there is a rank for
 * every core. In a process that has OpenBLAS for itself, the environment has been read already. */
static void threads_limit(void)
{
    if (getenv("OMP_NUM_THREADS") || getenv("OPENBLAS_NUM_THREADS"))
        return;
    setenv("OPENBLAS_NUM_THREADS", "1", 0);
    setenv("MKL_NUM_THREADS", "1", 0);
    void *symbol = dlsym(RTLD_DEFAULT, "openblas_set_num_threads");
    void (*set)(int) = NULL;
    if (symbol)
        memcpy(&set, &symbol, sizeof set);
    if (set)
        set(1);
}

/* As the python3 that this was built for, with its folders of modules, whatever PATH says; but
 * without its hands on signals and locale. */
static PyStatus interpreter_start(void)
{
    PyPreConfig before;
    PyConfig config;
    PyPreConfig_InitPythonConfig(&before);
    before.utf8_mode = 1;
    before.coerce_c_locale = 0;
    before.configure_locale = 0;
    PyStatus status = Py_PreInitialize(&before);
    if (PyStatus_Exception(status))
        return status;
    PyConfig_InitPythonConfig(&config);
    config.install_signal_handlers = 0;
    config.parse_argv = 0;
    status = PyConfig_SetBytesString(&config, &config.program_name, PYTHON_EXECUTABLE);
    if (!PyStatus_Exception(status))
        status = Py_InitializeFromConfig(&config);
    PyConfig_Clear(&config);
    return status;
}

/* NULL with Python's exception set. */
static PyObject *module_make(const char *name, const unsigned char *text)
{
    PyObject *code = Py_CompileString((const char *)text, name, Py_file_input);
    PyObject *module = code ? PyImport_ExecCodeModule(name, code) : NULL;
    Py_XDECREF(code);
    return module;
}

static bool types_set(PyObject *description)
{
    PyObject *types = PyObject_GetAttrString(description, "TYPES");
    PyObject *rows = Py_BuildValue("{sisisisisisisisisi}", "u1", SCOW_U8, "u2", SCOW_U16, "u4",
                                   SCOW_U32, "u8", SCOW_U64, "i4", SCOW_I32, "i8", SCOW_I64, "f4",
                                   SCOW_F32, "f8", SCOW_F64, "S", SCOW_TEXT_BYTES);
    const bool good = types && rows && PyDict_Update(types, rows) == 0;
    Py_XDECREF(rows);
    Py_XDECREF(types);
    return good;
}

/* NULL with Python's exception set. */
static PyObject *plugin_make(PyMethodDef *functions)
{
    PyObject *description = module_make("scow_description", description_py);
    PyObject *module = NULL;
    if (description && types_set(description) && window_prepare())
        module = module_make("scow_plugin", plugin_py);
    if (module && PyModule_AddFunctions(module, functions) != 0)
        Py_CLEAR(module);
    Py_XDECREF(description);
    return module;
}

/* Where not even plugin.py works, numpy is missing. */
static int numpy_fail(const struct scow_host *host)
{
    PyObject *error = exception_take(), *text = error ? PyObject_Str(error) : NULL;
    const char *why = text ? PyUnicode_AsUTF8(text) : NULL;
    host->fail(host,
               "Python %s (%s) cannot import numpy (%.100s): install it there (Debian: "
               "python3-numpy), or build the plug-in with -DPython3_EXECUTABLE=... of another",
               PY_VERSION, PYTHON_EXECUTABLE, why ? why : "no reason is known");
    PyErr_Clear();
    Py_XDECREF(text);
    Py_XDECREF(error);
    return SCOW_FAILED;
}

int interpreter_begin(const struct scow_host *host, PyMethodDef *functions)
{
    if (plugin)
        return SCOW_OK;
    library_show();
    threads_limit();
    if (!Py_IsInitialized()) {
        const PyStatus status = interpreter_start();
        if (PyStatus_Exception(status))
            return host->fail(host, "Python %s (%s) cannot start: %s", PY_VERSION,
                              PYTHON_EXECUTABLE, status.err_msg ? status.err_msg : "it exits");
        PyEval_SaveThread();
    }
    const PyGILState_STATE lock = PyGILState_Ensure();
    plugin = plugin_make(functions);
    stopped = plugin ? PyObject_GetAttrString(plugin, "Stopped") : NULL;
    const int result = plugin ? SCOW_OK : numpy_fail(host);
    PyGILState_Release(lock);
    return result;
}

PyObject *interpreter_plugin(void)
{
    return plugin;
}

PyObject *interpreter_stopped(void)
{
    return stopped;
}
