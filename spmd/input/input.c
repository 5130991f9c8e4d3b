#include "spmd/input/input.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "spmd/input/reader.h"
#include "spmd/input/regular.h"

struct input {
    const struct input_reader *reader;
    char *name;           /* as given; NULL: without an input */
    const char *files[1]; /* the name, for who asks for files */
    struct scow_input shape;
    void *self;                   /* the reader's */
    struct regular_state *states; /* owned; of its files when they were opened; NULL: none */
    int64_t held;                 /* index of `item`; -1: none yet */
    struct scow_item item; /* the last one read, so that asking again for a long one is free */
};

static const struct input_reader *reader_find(int kind)
{
    static const struct input_reader *const readers[] = {&input_none, &input_image, &input_lines,
                                                         &input_sequences, &input_file};
    for (size_t i = 0; i < sizeof readers / sizeof readers[0]; i++)
        if (readers[i]->kind == kind)
            return readers[i];
    return NULL;
}

static bool states_keep(struct input *input, struct failure *failure)
{
    int64_t count;
    const char *const *files = input_files(input, &count);
    input->states = calloc((size_t)count + 1, sizeof *input->states);
    if (!input->states)
        return failure_memory(failure, "opening the input");
    for (int64_t i = 0; i < count; i++)
        if (!regular_state(files[i], &input->states[i]))
            return regular_unreadable(files[i], failure);
    return true;
}

static bool input_begin(struct input *input, const char *name, struct failure *failure)
{
    if (!name)
        return true;
    input->name = strdup(name);
    if (!input->name)
        return failure_memory(failure, "opening the input");
    input->files[0] = input->shape.name = input->name;
    return input->reader->open(name, &input->shape, &input->self, failure) &&
           states_keep(input, failure);
}

struct input *input_open(enum scow_input_kind kind, const char *name, struct failure *failure)
{
    const struct input_reader *reader = reader_find((int)kind);
    assert(reader && (name != NULL) == (reader->open != NULL));
    struct input *input = calloc(1, sizeof *input);
    if (!input) {
        failure_memory(failure, "opening the input");
        return NULL;
    }
    input->reader = reader;
    input->held = -1;
    input->shape.kind = reader->kind;
    if (!input_begin(input, name, failure))
        input_close(&input);
    return input;
}

bool input_load(struct input *input, struct failure *failure)
{
    return !input->reader->load || input->reader->load(input->self, failure);
}

const struct scow_input *input_shape(const struct input *input)
{
    return &input->shape;
}

size_t input_pixel_bytes(const struct scow_input *shape)
{
    switch ((enum scow_type)shape->type) {
    case SCOW_U8:
        return 1;
    case SCOW_U16:
        return 2;
    case SCOW_F32:
        return 4;
    case SCOW_NONE:
    case SCOW_U32:
    case SCOW_U64:
    case SCOW_I32:
    case SCOW_I64:
    case SCOW_F64:
    case SCOW_TEXT_BYTES:
        break;
    }
    assert(!"an image's type");
    return 0;
}

bool input_read_image(struct input *input, int64_t slice, int64_t row, int64_t column, int64_t rows,
                      int64_t columns, void *pixels, struct failure *failure)
{
    const int64_t *extent = input->shape.extent;
    assert(input->reader->read_image);
    assert(slice >= 0 && slice < extent[0]);
    assert(row >= 0 && rows >= 0 && rows <= extent[1] - row);
    assert(column >= 0 && columns >= 0 && columns <= extent[2] - column);
    (void)extent;
    return input->reader->read_image(input->self, slice, row, column, rows, columns, pixels,
                                     failure);
}

bool input_read_item(struct input *input, int64_t index, struct scow_item *item,
                     struct failure *failure)
{
    assert(input->reader->read_item);
    assert(index >= 0 && index < input->shape.extent[0]);
    if (index != input->held) {
        input->held = -1; /* reading, even in vain, reuses the last item's memory */
        if (!input->reader->read_item(input->self, index, &input->item, failure))
            return false;
        input->held = index;
    }
    *item = input->item;
    return true;
}

const char *const *input_files(const struct input *input, int64_t *count)
{
    if (input->reader->files)
        return input->reader->files(input->self, count);
    *count = input->name ? 1 : 0;
    return input->files;
}

bool input_sha256(const struct input *input, char digest[65], struct failure *failure)
{
    int64_t count;
    const char *const *files = input_files(input, &count);
    return regular_sha256(files, count, digest, failure);
}

bool input_stamp(const struct input *input, char stamp[65], struct failure *failure)
{
    int64_t count;
    const char *const *files = input_files(input, &count);
    return regular_stamp(files, count, stamp, failure);
}

bool input_identity(const struct input *input, char identity[65], struct failure *failure)
{
    int64_t count;
    input_files(input, &count);
    return regular_identity(input->states, count, identity, failure);
}

/* The first file that is not in the state in which it was opened; NULL: all are. */
static const char *moved_find(const struct input *input)
{
    int64_t count;
    const char *const *files = input_files(input, &count);
    for (int64_t i = 0; i < count; i++) {
        struct regular_state now;
        if (!regular_state(files[i], &now) || !regular_state_equal(&now, &input->states[i]))
            return files[i];
    }
    return NULL;
}

bool input_untouched(const struct input *input, struct failure *failure)
{
    const char *moved = moved_find(input);
    return !moved || regular_changed(moved, failure);
}

bool input_unchanged(const struct input *input, const char *digest, struct failure *failure)
{
    char now[65];
    struct failure gone = FAILURE_INIT;
    const char *moved = moved_find(input);
    if (!moved || (digest[0] && input_sha256(input, now, &gone) && strcmp(now, digest) == 0))
        return true;
    return regular_changed(moved, failure);
}

void input_close(struct input **input)
{
    if (!*input)
        return;
    if ((*input)->reader->close)
        (*input)->reader->close((*input)->self);
    free((*input)->name);
    free((*input)->states);
    free(*input);
    *input = NULL;
}
