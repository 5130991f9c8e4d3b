#include "tests/kernel/memory_host.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/type.h"

static _Noreturn void memory_abort(const char *what)
{
    fprintf(stderr, "memory host: %s\n", what);
    abort();
}

static void *had(void *memory)
{
    if (!memory)
        memory_abort("out of memory");
    return memory;
}

static struct memory_host *memory_of(const struct scow_host *host)
{
    return ((const struct memory_host *)(const void *)host)->self;
}

__attribute__((format(printf, 2, 3))) static int memory_fail(const struct scow_host *host,
                                                             const char *format, ...)
{
    struct memory_host *memory = memory_of(host);
    char sentence[MEMORY_SENTENCE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    if (length <= 0 || (size_t)length >= sizeof sentence || strchr(sentence, '\n'))
        memory_abort("a failure is not one sentence");
    pthread_mutex_lock(&memory->lock);
    if (!memory->failure[0])
        memcpy(memory->failure, sentence, (size_t)length + 1);
    pthread_mutex_unlock(&memory->lock);
    return SCOW_FAILED;
}

__attribute__((format(printf, 3, 4))) static int
memory_refuse(const struct scow_host *host, const char *parameter, const char *format, ...)
{
    char sentence[MEMORY_SENTENCE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    if (!parameter || !parameter[0])
        memory_abort("a value is refused without its parameter's name");
    return memory_fail(host, "%s", sentence);
}

/* False: this one is made to fail. */
static bool read_counts(struct memory_host *memory)
{
    memory->reads++;
    if (memory->reads_until_failure < 0)
        return true;
    return memory->reads_until_failure-- > 0;
}

static int memory_read_image(const struct scow_host *host, int64_t slice, int64_t row,
                             int64_t column, int64_t rows, int64_t columns, void *pixels)
{
    struct memory_host *memory = memory_of(host);
    const int64_t *extent = memory->input.extent;
    const size_t size = scow_type_size(memory->input.type);
    if (memory->input.kind != SCOW_INPUT_IMAGE || !memory->pixels)
        memory_abort("there is no image to be read");
    if (slice < 0 || row < 0 || column < 0 || rows < 0 || columns < 0 || slice >= extent[0] ||
        row + rows > extent[1] || column + columns > extent[2])
        memory_abort("pixels outside the image are asked for");
    if (!read_counts(memory))
        return memory_fail(host, "cannot read slice %" PRId64 " from row %" PRId64 " on: try again",
                           slice, row);
    for (int64_t y = 0; y < rows; y++) {
        const int64_t from = (slice * extent[1] + row + y) * extent[2] + column;
        memcpy((char *)pixels + (size_t)(y * columns) * size,
               (const char *)memory->pixels + (size_t)from * size, (size_t)columns * size);
    }
    return SCOW_OK;
}

static int memory_read_item(const struct scow_host *host, int64_t index, struct scow_item *item)
{
    struct memory_host *memory = memory_of(host);
    const int kind = memory->input.kind;
    if ((kind != SCOW_INPUT_LINES && kind != SCOW_INPUT_SEQUENCES) || !memory->items)
        memory_abort("there are no lines or sequences to be read");
    if (index < 0 || index >= memory->input.extent[0])
        memory_abort("a line or sequence that is not there is asked for");
    if (!read_counts(memory))
        return memory_fail(host, "cannot read item %" PRId64 ": try again", index);
    *item = memory->items[index];
    return SCOW_OK;
}

static int memory_share(const struct scow_host *host, const void *bytes, size_t size)
{
    struct memory_host *memory = memory_of(host);
    free(memory->shared);
    memory->shared = malloc(size + 1);
    if (!memory->shared)
        return memory_fail(host, "not enough memory to share %zu bytes", size);
    memory->shared_size = size;
    if (size > 0)
        memcpy(memory->shared, bytes, size);
    return SCOW_OK;
}

static bool memory_pulse(const struct scow_host *host)
{
    struct memory_host *memory = memory_of(host);
    if (!pthread_equal(memory->caller, pthread_self()))
        memory_abort("a pulse from a thread that was not called");
    memory->pulses++;
    return memory->pulses_until_stop >= 0 && memory->pulses > memory->pulses_until_stop;
}

/* A new one where there is none yet. */
static struct memory_note *notes_of(struct memory_notes *notes, int64_t task)
{
    for (size_t i = 0; i < notes->count; i++)
        if (notes->notes[i].task == task)
            return &notes->notes[i];
    notes->notes = had(realloc(notes->notes, (notes->count + 1) * sizeof *notes->notes));
    struct memory_note *note = &notes->notes[notes->count++];
    *note = (struct memory_note){.task = task, .bytes = had(calloc(1, 1))};
    return note;
}

static void notes_append(struct memory_host *memory, struct memory_notes *notes, int64_t task,
                         const void *bytes, size_t size)
{
    pthread_mutex_lock(&memory->lock);
    struct memory_note *note = notes_of(notes, task);
    note->bytes = had(realloc(note->bytes, note->size + size + 1));
    if (size > 0)
        memcpy(note->bytes + note->size, bytes, size);
    note->size += size;
    note->bytes[note->size] = '\0';
    pthread_mutex_unlock(&memory->lock);
}

static void memory_reject(const struct scow_host *host, int64_t task, const char *why)
{
    struct memory_host *memory = memory_of(host);
    notes_append(memory, &memory->rejected, task, why, strlen(why));
}

static int memory_emit(const struct scow_host *host, int64_t task, const void *bytes, size_t size)
{
    struct memory_host *memory = memory_of(host);
    notes_append(memory, &memory->emitted, task, bytes, size);
    return SCOW_OK;
}

void memory_host_init(struct memory_host *memory)
{
    *memory = (struct memory_host){.host = {.size = sizeof memory->host,
                                            .abi = SCOW_ABI,
                                            .fail = memory_fail,
                                            .refuse = memory_refuse,
                                            .read_image = memory_read_image,
                                            .read_item = memory_read_item,
                                            .share = memory_share,
                                            .pulse = memory_pulse,
                                            .reject = memory_reject,
                                            .emit = memory_emit},
                                   .self = memory,
                                   .reads_until_failure = -1,
                                   .pulses_until_stop = -1,
                                   .caller = pthread_self()};
    if (pthread_mutex_init(&memory->lock, NULL) != 0)
        memory_abort("no lock");
}

void memory_host_restart(struct memory_host *memory)
{
    memory->failure[0] = '\0';
    memory->caller = pthread_self();
}

void memory_notes_release(struct memory_notes *notes)
{
    for (size_t i = 0; i < notes->count; i++)
        free(notes->notes[i].bytes);
    free(notes->notes);
    *notes = (struct memory_notes){0};
}

void memory_host_release(struct memory_host *memory)
{
    memory_notes_release(&memory->emitted);
    memory_notes_release(&memory->rejected);
    free(memory->shared);
    memory->shared = NULL;
    pthread_mutex_destroy(&memory->lock);
}

const struct memory_note *memory_notes_find(const struct memory_notes *notes, int64_t task)
{
    for (size_t i = 0; i < notes->count; i++)
        if (notes->notes[i].task == task)
            return &notes->notes[i];
    return NULL;
}
