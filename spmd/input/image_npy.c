/*
 * Arrays of NumPy: .npy of versions 1 to 3, in C order, of two dimensions, [y][x], or three,
 * [z][y][x], of either byte order. Source: numpy.lib.format's description of the format.
 */
#include <stdlib.h>
#include <string.h>

#include "spmd/input/image_format.h"
#include "spmd/input/image_number.h"

enum { MAGIC_BYTES = 6, HEADER_MOST = 4096, PIXELS_PER_BYTE = 4 };

static const char magic[] = "\x93NUMPY";

struct npy {
    struct image_number number;
    int64_t extent[3];
    int dimensions; /* of those that the file names; over 3: no image */
    bool turned;    /* in Fortran's order */
    char type[16];  /* as the file says, "<f4" */
    int64_t offset; /* of the first number */
};

static bool image_npy_recognize(const unsigned char *head, size_t length)
{
    return length >= MAGIC_BYTES && memcmp(head, magic, MAGIC_BYTES) == 0;
}

static bool npy_damaged(const struct image_file *file, const char *reason, struct failure *failure)
{
    return failure_set(failure, FAILURE_MISMATCH,
                       "'%s' is a cut or damaged .npy (%s): save or copy it again", file->name,
                       reason);
}

/* ---- the header's text: a dictionary as Python writes it ---- */

static const char *blanks_pass(const char *text)
{
    return text + strspn(text, " \t\r\n");
}

/* What stands behind the key and its colon; NULL without it. */
static const char *value_find(const char *header, const char *key)
{
    const size_t length = strlen(key);
    for (const char *found = strstr(header, key); found; found = strstr(found + 1, key)) {
        if (found == header || (found[-1] != '\'' && found[-1] != '"') ||
            found[length] != found[-1])
            continue;
        const char *colon = blanks_pass(found + length + 1);
        if (*colon == ':')
            return blanks_pass(colon + 1);
    }
    return NULL;
}

static bool shape_parse(const char *text, struct npy *npy)
{
    npy->dimensions = 0;
    if (!text || *text != '(')
        return false;
    for (text = blanks_pass(text + 1); *text != ')';) {
        char *end;
        if (*text < '0' || *text > '9')
            return false;
        const long long size = strtoll(text, &end, 10);
        if (npy->dimensions < 3)
            npy->extent[npy->dimensions] = size;
        npy->dimensions++;
        text = blanks_pass(end + strspn(end, "L")); /* Python 2's long numbers */
        if (*text == ',')
            text = blanks_pass(text + 1);
        else if (*text != ')')
            return false;
    }
    return true;
}

/* "<f4"; a structured type begins with a bracket, and is told apart later. */
static bool type_parse(const char *text, struct npy *npy)
{
    if (!text)
        return false;
    const bool quoted = *text == '\'' || *text == '"';
    const size_t length = quoted ? strcspn(text + 1, "'\"") : 1;
    if (length >= sizeof npy->type)
        return false;
    snprintf(npy->type, sizeof npy->type, "%.*s", (int)length, quoted ? text + 1 : text);
    for (const char *c = npy->type; *c; c++)
        if (*c <= ' ' || *c > '~')
            return false;
    const char order = npy->type[0];
    const char kind = length > 1 ? npy->type[1] : '?';
    npy->number.kind = kind == 'b' ? 'u' : kind; /* truth values are bytes */
    const long bytes = length > 2 ? strtol(npy->type + 2, NULL, 10) : 0;
    npy->number.bytes = bytes > 0 && bytes < 1000 ? (int)bytes : 0;
    npy->number.swapped = order == (image_host_is_little() ? '>' : '<');
    return true;
}

static bool text_parse(const struct image_file *file, const char *text, struct npy *npy,
                       struct failure *failure)
{
    const char *turned = value_find(text, "fortran_order");
    if (!turned || !type_parse(value_find(text, "descr"), npy) ||
        !shape_parse(value_find(text, "shape"), npy))
        return npy_damaged(file, "descr, fortran_order or shape is missing or odd", failure);
    npy->turned = strncmp(turned, "True", 4) == 0;
    return true;
}

static bool npy_parse(struct image_file *file, struct npy *npy, struct failure *failure)
{
    unsigned char head[MAGIC_BYTES + 6] = {0};
    char text[HEADER_MOST + 1];
    rewind(file->stream);
    if (fread(head, 1, MAGIC_BYTES + 4, file->stream) != MAGIC_BYTES + 4)
        return npy_damaged(file, "no complete header", failure);
    const int version = head[MAGIC_BYTES];
    if (version < 1 || version > 3)
        return failure_set(failure, FAILURE_MISMATCH,
                           "'%s' is a .npy of version %d, and those up to 3 are known: save it "
                           "with numpy.save",
                           file->name, version);
    const size_t more = version == 1 ? 0 : 2; /* bytes of the length beyond two */
    if (fread(head + MAGIC_BYTES + 4, 1, more, file->stream) != more)
        return npy_damaged(file, "no complete header", failure);
    int64_t length = 0;
    for (size_t i = 2 + more; i-- > 0;)
        length = 256 * length + head[MAGIC_BYTES + 2 + i];
    const size_t kept = (size_t)(length < HEADER_MOST ? length : HEADER_MOST);
    if (fread(text, 1, kept, file->stream) != kept)
        return npy_damaged(file, "no complete header", failure);
    text[kept] = '\0';
    npy->offset = MAGIC_BYTES + 4 + (int64_t)more + length;
    return text_parse(file, text, npy, failure);
}

/* ---- the face ---- */

static bool npy_fits(const struct image_file *file, const struct npy *npy, int *type,
                     struct failure *failure)
{
    if (npy->dimensions != 2 && npy->dimensions != 3)
        return failure_set(failure, FAILURE_MISMATCH,
                           "'%s' has %d dimensions: save an array of two, [y][x], or three, "
                           "[z][y][x]",
                           file->name, npy->dimensions);
    if (npy->turned)
        return failure_set(failure, FAILURE_MISMATCH,
                           "'%s' is in Fortran's order: save it with numpy.save('OUT.npy', "
                           "numpy.ascontiguousarray(a))",
                           file->name);
    if (!image_number_type(&npy->number, type))
        return failure_set(failure, FAILURE_MISMATCH,
                           "'%s' holds numbers of type '%s' that cannot be used: save it with "
                           "numpy.save('OUT.npy', a.astype('float32')), or as 'uint8' or 'uint16'",
                           file->name, npy->type);
    return true;
}

static bool npy_header(struct image_file *file, struct npy *npy, struct scow_input *shape,
                       struct failure *failure)
{
    *npy = (struct npy){.offset = 0};
    if (!npy_parse(file, npy, failure) || !npy_fits(file, npy, &shape->type, failure))
        return false;
    const int skip = 3 - npy->dimensions;
    shape->extent[0] = 1;
    for (int i = 0; i < npy->dimensions; i++)
        shape->extent[skip + i] = npy->extent[i];
    if (!image_plausible(file, shape, PIXELS_PER_BYTE, failure))
        return false;
    const int64_t pixels = shape->extent[0] * shape->extent[1] * shape->extent[2];
    return npy->offset + pixels * npy->number.bytes <= file->size_bytes ||
           npy_damaged(file, "numbers are missing", failure);
}

static bool image_npy_header(struct image_file *file, struct scow_input *shape,
                             struct failure *failure)
{
    struct npy npy;
    return npy_header(file, &npy, shape, failure);
}

static bool image_npy_decode(struct image_file *file, const struct scow_input *shape, void *pixels,
                             struct failure *failure)
{
    struct npy npy;
    struct scow_input found = *shape;
    if (!npy_header(file, &npy, &found, failure))
        return false;
    const int64_t count = shape->extent[0] * shape->extent[1] * shape->extent[2];
    return image_number_read(file->stream, npy.offset, &npy.number, count, shape->type, pixels) ||
           npy_damaged(file, "numbers are missing", failure);
}

const struct image_format image_npy = {".npy", image_npy_recognize, image_npy_header,
                                       image_npy_decode};
