#include "tests/kernel/golden.h"

#include <stdio.h>
#include <stdlib.h>

static _Noreturn void golden_abort(const char *name)
{
    fprintf(stderr, "cannot read the golden file %s/%s\n", GOLDEN_DIRECTORY, name);
    abort();
}

static FILE *golden_open(const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", GOLDEN_DIRECTORY, name);
    FILE *file = fopen(path, "rb");
    if (!file)
        golden_abort(name);
    return file;
}

static void *golden_read(FILE *file, const char *name, size_t size, size_t count)
{
    void *items = malloc(size * count);
    if (!items || fread(items, size, count, file) != count)
        golden_abort(name);
    return items;
}

void golden_image_read(struct golden_image *image, const char *name)
{
    FILE *file = golden_open(name);
    if (fscanf(file, "P5 %d %d 255", &image->columns, &image->rows) != 2 || fgetc(file) != '\n')
        golden_abort(name);
    image->pixels = golden_read(file, name, 1, (size_t)image->rows * (size_t)image->columns);
    fclose(file);
}

void golden_image_release(struct golden_image *image)
{
    free(image->pixels);
    image->pixels = NULL;
}

float *golden_floats(const char *name, size_t count)
{
    FILE *file = golden_open(name);
    float *values = golden_read(file, name, sizeof *values, count);
    fclose(file);
    return values;
}

/* Scales and angles are 0.2, 0.3, ... and 6, 12, ... in the file, indices in the bank. */
static int golden_shapes(struct filter *shapes, int most)
{
    FILE *file = golden_open("filters.txt");
    double scale;
    int angle, count = 0;
    if (fscanf(file, "# scale angle rows columns") != 0)
        golden_abort("filters.txt");
    struct filter shape = {0};
    while (count < most &&
           fscanf(file, "%lf %d %d %d", &scale, &angle, &shape.rows, &shape.columns) == 4) {
        shape.anchor_row = (shape.rows - 1) / 2;
        shape.anchor_column = (shape.columns - 1) / 2;
        shape.scale = (int)(scale * 10 + 0.5) - 2;
        shape.angle = angle / 6 - 1;
        shapes[count++] = shape;
    }
    fclose(file);
    return count;
}

struct bank *golden_bank(void)
{
    struct filter shapes[210];
    struct bank *bank = bank_new(shapes, golden_shapes(shapes, 210));
    FILE *file = golden_open("filters.f64");
    size_t count = bank ? (size_t)bank_tap_count(bank) : 0;
    if (!bank || fread(bank->taps, sizeof(double), count, file) != count)
        golden_abort("filters.f64");
    fclose(file);
    return bank;
}
