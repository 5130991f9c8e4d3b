/* A plug-in for scow that computes on GPUs, or on whatever else OpenCL calls a device: a Mandelbrot
 * set, a row of pixels a core task. Each worker has a device of its own.
 *
 *     cc -O2 -shared -fPIC $(pkg-config --cflags scow) opencl.c -lOpenCL -o opencl.so
 *     mpiexec -n 3 scow calibrate -k ./opencl.so --gpus-per-worker 1 --quick -o profile.json
 *     scow plan -p profile.json -o plan.json
 *     mpiexec -n 3 scow run plan.json --gpus-per-worker 1 -o set.h5 && scow show set.h5 --png set.png
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <scow.h>
#include <stdlib.h>

enum parameter { SIZE, ITERATIONS };
enum { ENTRIES_MOST = 64, ROWS = 16 }; /* rows of a call: between two calls, messages advance */

static const struct scow_parameter parameters[] = {
    {.name = "size", .kind = SCOW_WHOLE, .help = "pixels a side", .initial = 800, .least = 1, .greatest = 100000},
    {.name = "iterations", .kind = SCOW_WHOLE, .help = "at most", .initial = 1000, .least = 1, .greatest = 1e6},
    {.name = NULL}};

/* Whole numbers, of 26 binary digits behind the point: every device has the same. */
static const char source[] =
    "__kernel void rows(long first, long size, uint most, __global uint *pixels)\n"
    "{\n"
    "    const long column = get_global_id(0), row = first + get_global_id(1), unit = 1L << 26;\n"
    "    const long re = 3 * unit * column / size - 2 * unit, im = 3 * unit * row / size - 3 * unit / 2;\n"
    "    long x = 0, y = 0;\n"
    "    uint n = 0;\n"
    "    for (; n < most && x * x + y * y <= 4 * unit * unit; n++) {\n"
    "        const long next = (x * x - y * y) / unit + re;\n"
    "        y = 2 * x * y / unit + im;\n"
    "        x = next;\n"
    "    }\n"
    "    pixels[get_global_id(1) * size + column] = n;\n"
    "}\n";

/* A worker's own. */
struct device {
    cl_context context;
    cl_command_queue queue;
    cl_program program;
    cl_kernel kernel;
    cl_mem pixels;
};

static int describe(const struct scow_host *host, const struct scow_value *values, const struct scow_input *input,
                    int64_t *tasks)
{
    (void)host, (void)input;
    *tasks = (int64_t)values[SIZE].number;
    return SCOW_OK;
}

static int open_job(const struct scow_host *host, const struct scow_setup *setup, void **job)
{
    (void)host, *job = (void *)(uintptr_t)setup;
    return SCOW_OK;
}

/* A grid [1][size][size], of which each core task fills a row. */
static void results(const void *job, struct scow_results *results)
{
    const struct scow_setup *setup = job;
    results->grid_type = SCOW_U32;
    results->grid_extent[0] = results->grid_tile[0] = results->grid_tile[1] = 1;
    results->grid_extent[1] = results->grid_extent[2] = results->grid_tile[2] = setup->tasks;
    results->grid_picture = true;
}

static void place(const void *job, int64_t task, int64_t start[3], int64_t count[3])
{
    start[0] = start[2] = 0, start[1] = task;
    count[0] = count[1] = 1, count[2] = ((const struct scow_setup *)job)->tasks;
}

static size_t workspace_size(const void *job, int threads)
{
    (void)job, (void)threads;
    return sizeof(struct device);
}

/* All devices, GPUs before others. */
static cl_uint devices_list(cl_device_id devices[ENTRIES_MOST])
{
    static const cl_device_type kinds[] = {CL_DEVICE_TYPE_GPU, CL_DEVICE_TYPE_ACCELERATOR, CL_DEVICE_TYPE_CPU};
    cl_platform_id platforms[ENTRIES_MOST];
    cl_uint platform_count = 0, count = 0;
    if (clGetPlatformIDs(ENTRIES_MOST, platforms, &platform_count) != CL_SUCCESS)
        return 0;
    for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++)
        for (cl_uint k = 0; k < platform_count && k < ENTRIES_MOST && count < ENTRIES_MOST; k++) {
            cl_uint more = 0;
            if (clGetDeviceIDs(platforms[k], kinds[kind], ENTRIES_MOST - count, devices + count, &more) == CL_SUCCESS)
                count += more < ENTRIES_MOST - count ? more : ENTRIES_MOST - count;
        }
    return count;
}

/* By the first of this worker's numbers, or the worker's own; where CUDA or ROCm hide all other
 * devices or there are fewer, it begins anew. */
static cl_device_id device_choose(const struct scow_host *host)
{
    cl_device_id devices[ENTRIES_MOST];
    const cl_uint count = devices_list(devices);
    const char *numbers = getenv("SCOW_GPUS");
    const long number = numbers ? strtol(numbers, NULL, 10) : host->rank - 1;
    return count > 0 ? devices[(cl_uint)(number > 0 ? number : 0) % count] : NULL;
}

static void stop(const void *job, void *workspace)
{
    struct device *own = workspace;
    (void)job;
    if (own->pixels)
        clReleaseMemObject(own->pixels);
    if (own->kernel)
        clReleaseKernel(own->kernel);
    if (own->program)
        clReleaseProgram(own->program);
    if (own->queue)
        clReleaseCommandQueue(own->queue);
    if (own->context)
        clReleaseContext(own->context);
    *own = (struct device){0};
}

/* The worker's device, with the program translated for it. */
static int start(const struct scow_host *host, const void *job, void *workspace)
{
    struct device *own = workspace;
    const size_t row = (size_t)((const struct scow_setup *)job)->tasks * sizeof(cl_uint);
    const char *text = source;
    cl_device_id device = device_choose(host);
    cl_int error = CL_SUCCESS;
    if (!device)
        return host->fail(host, "OpenCL has no device here: install a driver, such as pocl for processors");
    own->context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    if (own->context)
        own->queue = clCreateCommandQueue(own->context, device, 0, &error);
    if (own->queue)
        own->pixels = clCreateBuffer(own->context, CL_MEM_WRITE_ONLY, ROWS * row, NULL, &error);
    if (own->pixels)
        own->program = clCreateProgramWithSource(own->context, 1, &text, NULL, &error);
    if (own->program)
        error = clBuildProgram(own->program, 1, &device, "-cl-std=CL1.2", NULL, NULL);
    if (error == CL_SUCCESS)
        own->kernel = clCreateKernel(own->program, "rows", &error);
    if (error == CL_SUCCESS)
        return SCOW_OK;
    stop(job, workspace);
    return host->fail(host, "the OpenCL device could not be made ready: error %d", (int)error);
}

/* Some consecutive rows. */
static cl_int rows_compute(const struct device *own, const struct scow_setup *setup, int64_t first, int64_t count,
                           cl_uint *pixels)
{
    const cl_long from = first, size = setup->tasks;
    const cl_uint most = (cl_uint)setup->values[ITERATIONS].number;
    const size_t extent[2] = {(size_t)size, (size_t)count};
    cl_int error = clSetKernelArg(own->kernel, 0, sizeof from, &from);
    if (error == CL_SUCCESS)
        error = clSetKernelArg(own->kernel, 1, sizeof size, &size);
    if (error == CL_SUCCESS)
        error = clSetKernelArg(own->kernel, 2, sizeof most, &most);
    if (error == CL_SUCCESS)
        error = clSetKernelArg(own->kernel, 3, sizeof own->pixels, &own->pixels);
    if (error == CL_SUCCESS)
        error = clEnqueueNDRangeKernel(own->queue, own->kernel, 2, NULL, extent, NULL, 0, NULL, NULL);
    if (error == CL_SUCCESS)
        error = clEnqueueReadBuffer(own->queue, own->pixels, CL_TRUE, 0, extent[0] * extent[1] * sizeof *pixels, pixels,
                                    0, NULL, NULL);
    return error;
}

/* One call at a time (SCOW_THREADS_OWN): a worker has one device. */
static int compute(const struct scow_host *host, const void *job, const struct scow_batch *batch)
{
    const struct scow_setup *setup = job;
    cl_uint *pixels = batch->grid;
    for (int64_t done = 0; done < batch->count; done += ROWS) {
        const int64_t rows = batch->count - done < ROWS ? batch->count - done : ROWS;
        const cl_int error =
            rows_compute(batch->workspace, setup, batch->first + done, rows, pixels + done * setup->tasks);
        if (error != CL_SUCCESS)
            return host->fail(host, "the OpenCL device failed: error %d", (int)error);
        if (host->pulse(host))
            return SCOW_STOPPED;
    }
    return SCOW_OK;
}

const struct scow_task scow_plugin = {
    SCOW_TASK, .name = "opencl", .version = "1", .summary = "a Mandelbrot set on OpenCL's devices, row by row",
    .core_task = "one row of pixels", .outcome = "/response: iterations until |z| > 2, uint32 [1][size][size]",
    .parameters = parameters, .input = SCOW_INPUT_NONE, .threads = SCOW_THREADS_OWN,
    .describe = describe, .open = open_job, .results = results, .place = place, .workspace_size = workspace_size,
    .start = start, .stop = stop, .compute = compute};
