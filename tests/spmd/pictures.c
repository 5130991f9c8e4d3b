#include "tests/spmd/pictures.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <png.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- a directory of one's own ---- */

static char directory[32], before[4096];

int pictures_enter(void **state)
{
    (void)state;
    strcpy(directory, "pictures-XXXXXX");
    if (!getcwd(before, sizeof before) || !mkdtemp(directory) || chdir(directory) != 0)
        return -1;
    return 0;
}

static int directory_empty(void)
{
    DIR *stream = opendir(".");
    if (!stream)
        return -1;
    for (struct dirent *entry = readdir(stream); entry; entry = readdir(stream))
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            remove(entry->d_name);
    return closedir(stream);
}

int pictures_leave(void **state)
{
    (void)state;
    return directory_empty() != 0 || chdir(before) != 0 || rmdir(directory) != 0 ? -1 : 0;
}

/* ---- noise: splitmix64 ---- */

uint32_t picture_random(uint64_t *seed)
{
    uint64_t z = *seed += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (uint32_t)((z ^ (z >> 31)) >> 32);
}

void picture_noise(void *pixels, size_t bytes, uint64_t seed)
{
    for (size_t i = 0; i < bytes; i++)
        ((unsigned char *)pixels)[i] = (unsigned char)picture_random(&seed);
}

/* ---- files ---- */

void picture_bytes(const char *name, const void *bytes, size_t length)
{
    FILE *stream = fopen(name, "wb");
    assert_non_null(stream);
    assert_int_equal(fwrite(bytes, 1, length, stream), length);
    assert_int_equal(fclose(stream), 0);
}

void picture_text(const char *name, const char *text)
{
    picture_bytes(name, text, strlen(text));
}

unsigned char *picture_load(const char *name, size_t *length)
{
    struct stat status;
    FILE *stream = fopen(name, "rb");
    assert_non_null(stream);
    assert_int_equal(fstat(fileno(stream), &status), 0);
    *length = (size_t)status.st_size;
    unsigned char *bytes = malloc(*length + 1);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, *length, stream), *length);
    fclose(stream);
    return bytes;
}

/* ---- PNG ---- */

/* The caller's setjmp is set: any error of libpng comes back there. */
static void rows_write(png_structp writer, png_infop info, const struct picture_png *png,
                       const void *pixels)
{
    png_set_IHDR(writer, info, (png_uint_32)png->columns, (png_uint_32)png->rows, png->depth,
                 png->colour, png->interlace, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    png_color palette[2] = {{0, 0, 0}, {255, 255, 255}};
    if (png->colour == PNG_COLOR_TYPE_PALETTE)
        png_set_PLTE(writer, info, palette, 2);
    png_write_info(writer, info);
    if (htons(1) != 1)
        png_set_swap(writer);
    size_t line = png_get_rowbytes(writer, info);
    int passes = png_set_interlace_handling(writer);
    for (int pass = 0; pass < passes; pass++)
        for (int y = 0; y < png->rows; y++)
            png_write_row(writer, (png_const_bytep)pixels + (size_t)y * line);
    png_write_end(writer, info);
}

void picture_png(const char *name, const struct picture_png *png, const void *pixels)
{
    FILE *stream = fopen(name, "wb");
    png_structp writer = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png_create_info_struct(writer);
    assert_true(stream && writer && info);
    if (setjmp(png_jmpbuf(writer)) != 0)
        fail_msg("libpng cannot write %s", name);
    png_init_io(writer, stream);
    rows_write(writer, info, png, pixels);
    png_destroy_write_struct(&writer, &info);
    assert_int_equal(fclose(stream), 0);
}
