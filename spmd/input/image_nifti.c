/*
 * Volumes of NIfTI-1 and NIfTI-2 in one file (.nii, and .nii.gz: unpacked before it comes here), of
 * either byte order. Slices are along the third dimension, x runs fastest. Numbers that the header
 * scales (scl_slope, scl_inter) become floats. The place in space (qform, sform) is not looked at.
 * Sources: nifti1.h and nifti2.h of nifti.nimh.nih.gov.
 */
#include <math.h>
#include <string.h>

#include "spmd/input/image_format.h"
#include "spmd/input/image_number.h"

enum { FIRST_BYTES = 348, SECOND_BYTES = 540, PIXELS_PER_BYTE = 4, DIMENSIONS = 8 };

struct nifti {
    struct image_number number;
    int64_t extent[DIMENSIONS]; /* [0]: how many */
    int64_t offset;
    double slope, intercept; /* slope 0: numbers as they are */
    int code;                /* the header's datatype */
};

/* Where fields stand in the two versions' headers. */
struct nifti_places {
    size_t dimensions, dimension_bytes, type, offset, slope, intercept, real_bytes;
};

static const struct nifti_places first = {40, 2, 70, 108, 112, 116, 4};
static const struct nifti_places second = {16, 8, 12, 168, 176, 184, 8};

static const unsigned char sizes[4][4] = {
    {0x5c, 0x01, 0, 0}, {0, 0, 0x01, 0x5c}, {0x1c, 0x02, 0, 0}, {0, 0, 0x02, 0x1c}};

/* Which of them the file begins with; 4: none. */
static int size_find(const unsigned char *head)
{
    int which = 0;
    while (which < 4 && memcmp(head, sizes[which], 4) != 0)
        which++;
    return which;
}

static bool image_nifti_recognize(const unsigned char *head, size_t length)
{
    const int which = length >= 8 ? size_find(head) : 4;
    return which < 2 || (which < 4 && memcmp(head + 4, "n+2", 4) == 0);
}

static bool nifti_damaged(const struct image_file *file, const char *reason,
                          struct failure *failure)
{
    return failure_set(failure, FAILURE_MISMATCH,
                       "'%s' is a cut or damaged NIfTI file (%s): make or copy it again",
                       file->name, reason);
}

/* ---- fields ---- */

static void field_copy(const unsigned char *field, size_t bytes, bool swapped, void *value)
{
    unsigned char *out = value;
    for (size_t i = 0; i < bytes; i++)
        out[i] = field[swapped ? bytes - 1 - i : i];
}

static int64_t integer_get(const unsigned char *field, size_t bytes, bool swapped)
{
    int16_t narrow;
    int64_t wide;
    if (bytes == 2) {
        field_copy(field, bytes, swapped, &narrow);
        return narrow;
    }
    field_copy(field, sizeof wide, swapped, &wide);
    return wide;
}

static double real_get(const unsigned char *field, size_t bytes, bool swapped)
{
    float narrow;
    double wide;
    if (bytes == 4) {
        field_copy(field, bytes, swapped, &narrow);
        return (double)narrow;
    }
    field_copy(field, sizeof wide, swapped, &wide);
    return wide;
}

static struct image_number number_of(int code)
{
    static const struct {
        int code;
        struct image_number number;
    } rows[] = {{2, {'u', 1, false}},   {4, {'i', 2, false}},  {8, {'i', 4, false}},
                {16, {'f', 4, false}},  {64, {'f', 8, false}}, {256, {'i', 1, false}},
                {512, {'u', 2, false}}, {768, {'u', 4, false}}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].code == code)
            return rows[i].number;
    return (struct image_number){'?', 0, false};
}

static bool fields_get(const struct image_file *file, const unsigned char *head, int which,
                       struct nifti *nifti, struct failure *failure)
{
    const struct nifti_places *places = which < 2 ? &first : &second;
    const bool swapped = (which % 2 == 0) != image_host_is_little();
    for (size_t i = 0; i < DIMENSIONS; i++)
        nifti->extent[i] = integer_get(head + places->dimensions + i * places->dimension_bytes,
                                       places->dimension_bytes, swapped);
    nifti->code = (int)integer_get(head + places->type, 2, swapped);
    nifti->number = number_of(nifti->code);
    nifti->number.swapped = swapped;
    nifti->slope = real_get(head + places->slope, places->real_bytes, swapped);
    nifti->intercept = real_get(head + places->intercept, places->real_bytes, swapped);
    const double offset = which < 2 ? real_get(head + places->offset, 4, swapped)
                                    : (double)integer_get(head + places->offset, 8, swapped);
    if (!(offset >= (which < 2 ? FIRST_BYTES : SECOND_BYTES)) || offset > (double)file->size_bytes)
        return nifti_damaged(file, "no place of the numbers", failure);
    nifti->offset = (int64_t)offset;
    if (!isfinite(nifti->slope) || (nifti->slope == 1 && nifti->intercept == 0))
        nifti->slope = 0;
    return nifti->slope == 0 || isfinite(nifti->intercept) ||
           nifti_damaged(file, "scl_inter is no number", failure);
}

static bool nifti_parse(struct image_file *file, struct nifti *nifti, struct failure *failure)
{
    unsigned char head[SECOND_BYTES] = {0};
    rewind(file->stream);
    const size_t length = fread(head, 1, sizeof head, file->stream);
    const int which = size_find(head);
    if (which == 4 || length < (which < 2 ? FIRST_BYTES : SECOND_BYTES))
        return nifti_damaged(file, "no complete header", failure);
    if (which < 2 && memcmp(head + 344, "n+1", 4) != 0)
        return failure_set(failure, FAILURE_MISMATCH,
                           "'%s' is the header of a pair of files (NIfTI or Analyze, .hdr and "
                           ".img): save the volume as one file, .nii",
                           file->name);
    return fields_get(file, head, which, nifti, failure);
}

/* ---- the face ---- */

static bool dimensions_fit(const struct image_file *file, const struct nifti *nifti,
                           struct failure *failure)
{
    const int64_t count = nifti->extent[0];
    if (count < 1 || count >= DIMENSIONS)
        return nifti_damaged(file, "no dimensions", failure);
    for (int64_t i = 4; i <= count; i++)
        if (nifti->extent[i] != 1)
            return failure_set(failure, FAILURE_MISMATCH,
                               "'%s' is a series of volumes: save one of them as a file of its "
                               "own, for example with nibabel.four_to_three",
                               file->name);
    return true;
}

static bool nifti_header(struct image_file *file, struct nifti *nifti, struct scow_input *shape,
                         struct failure *failure)
{
    *nifti = (struct nifti){.offset = 0};
    if (!nifti_parse(file, nifti, failure) || !dimensions_fit(file, nifti, failure))
        return false;
    if (!image_number_type(&nifti->number, &shape->type))
        return failure_set(failure, FAILURE_MISMATCH,
                           "'%s' holds numbers of NIfTI's type %d that cannot be used: save it "
                           "with integers of up to 32 bits or floats",
                           file->name, nifti->code);
    if (nifti->slope != 0)
        shape->type = SCOW_F32;
    for (int i = 0; i < 3; i++)
        shape->extent[2 - i] = i < nifti->extent[0] ? nifti->extent[i + 1] : 1;
    if (!image_plausible(file, shape, PIXELS_PER_BYTE, failure))
        return false;
    const int64_t pixels = shape->extent[0] * shape->extent[1] * shape->extent[2];
    return nifti->offset + pixels * nifti->number.bytes <= file->size_bytes ||
           nifti_damaged(file, "numbers are missing", failure);
}

static bool image_nifti_header(struct image_file *file, struct scow_input *shape,
                               struct failure *failure)
{
    struct nifti nifti;
    return nifti_header(file, &nifti, shape, failure);
}

static bool image_nifti_decode(struct image_file *file, const struct scow_input *shape,
                               void *pixels, struct failure *failure)
{
    struct nifti nifti;
    struct scow_input found = *shape;
    if (!nifti_header(file, &nifti, &found, failure))
        return false;
    const int64_t count = shape->extent[0] * shape->extent[1] * shape->extent[2];
    if (!image_number_read(file->stream, nifti.offset, &nifti.number, count, shape->type, pixels))
        return nifti_damaged(file, "numbers are missing", failure);
    float *scaled = pixels;
    for (int64_t i = 0; nifti.slope != 0 && i < count; i++)
        scaled[i] = (float)(nifti.slope * (double)scaled[i] + nifti.intercept);
    return true;
}

const struct image_format image_nifti = {"NIfTI", image_nifti_recognize, image_nifti_header,
                                         image_nifti_decode};
