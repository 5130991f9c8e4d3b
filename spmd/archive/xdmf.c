#include "spmd/archive/xdmf.h"

#include <hdf5.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "planner/base/text.h"
#include "planner/files/textfile.h"
#include "spmd/archive/archive_file.h"
#include "spmd/layout/contents.h"
#include "spmd/layout/layout.h"

enum { DIMENSIONS = 3 };

/* A data set and its number type, in the words of XDMF. */
struct grid {
    const char *path; /* path within the file */
    int64_t extent[DIMENSIONS];
    const char *kind;
    size_t bytes; /* of a number */
};

static const char *kind_of(hid_t type)
{
    if (H5Tget_class(type) == H5T_FLOAT)
        return "Float";
    const bool is_signed = H5Tget_sign(type) != H5T_SGN_NONE;
    if (H5Tget_size(type) == 1)
        return is_signed ? "Char" : "UChar";
    return is_signed ? "Int" : "UInt";
}

static bool grid_find(hid_t file, const char *path, struct grid *grid)
{
    *grid = (struct grid){.path = path};
    if (!contents_shape(file, path, DIMENSIONS, grid->extent))
        return false;
    const hid_t dataset = H5Dopen2(file, path, H5P_DEFAULT), type = H5Dget_type(dataset);
    grid->kind = kind_of(type);
    grid->bytes = H5Tget_size(type);
    H5Tclose(type);
    H5Dclose(dataset);
    return true;
}

static void xml_add(struct text *text, const char *plain)
{
    for (size_t run = 0; *plain; plain += run) {
        run = strcspn(plain, "<>&\"");
        text_add(text, "%.*s", (int)run, plain);
        if (plain[run])
            text_add(text, "&#%d;", plain[run++]);
    }
}

static void attribute_add(struct text *text, const struct grid *grid, const char *file)
{
    text_add(
        text,
        "   <Attribute Name=\"%s\" AttributeType=\"Scalar\" Center=\"Node\">\n"
        "    <DataItem Format=\"HDF\" NumberType=\"%s\" Precision=\"%zu\" Dimensions=\"%" PRId64
        " %" PRId64 " %" PRId64 "\">",
        grid->path + 1, grid->kind, grid->bytes, grid->extent[0], grid->extent[1], grid->extent[2]);
    xml_add(text, file);
    text_add(text, ":%s</DataItem>\n   </Attribute>\n", grid->path);
}

static void grids_add(struct text *text, const struct grid *grids, size_t count, const char *file)
{
    text_add(text,
             "<?xml version=\"1.0\" ?>\n<Xdmf Version=\"2.0\">\n <Domain>\n"
             "  <Grid Name=\"scow\" GridType=\"Uniform\">\n"
             "   <Topology TopologyType=\"3DCoRectMesh\" Dimensions=\"%" PRId64 " %" PRId64
             " %" PRId64 "\"/>\n"
             "   <Geometry GeometryType=\"ORIGIN_DXDYDZ\">\n"
             "    <DataItem Format=\"XML\" Dimensions=\"3\">0 0 0</DataItem>\n"
             "    <DataItem Format=\"XML\" Dimensions=\"3\">1 1 1</DataItem>\n"
             "   </Geometry>\n",
             grids[0].extent[0], grids[0].extent[1], grids[0].extent[2]);
    for (size_t k = 0; k < count; k++)
        attribute_add(text, &grids[k], file);
    text_add(text, "  </Grid>\n </Domain>\n</Xdmf>\n");
}

/* Owned: the absolute folder of `path`; NULL: there is none. */
static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *name = slash ? strndup(path, slash > path ? (size_t)(slash - path) : 1) : strdup(".");
    char *folder = name ? realpath(name, NULL) : NULL;
    free(name);
    return folder;
}

/* Owned: the name of `output` as it must be in `xdmf`. */
static char *output_name(const char *output, const char *xdmf)
{
    char *ours = folder_of(xdmf), *theirs = folder_of(output);
    const char *slash = strrchr(output, '/');
    const bool beside = ours && theirs && strcmp(ours, theirs) == 0;
    char *name = beside ? strdup(slash ? slash + 1 : output) : realpath(output, NULL);
    free(ours);
    free(theirs);
    return name;
}

static bool grids_write(const struct grid *grids, size_t count, const char *output,
                        const char *xdmf, struct failure *failure)
{
    struct text text = TEXT_INIT;
    char *name = output_name(output, xdmf);
    if (name)
        grids_add(&text, grids, count, name);
    const bool good = name && !text.failed ? textfile_write(xdmf, text.bytes, failure)
                                           : failure_memory(failure, "describing a grid");
    text_release(&text);
    free(name);
    return good;
}

bool xdmf_write(const char *output, const char *xdmf, struct failure *failure)
{
    struct grid grids[2];
    const hid_t file = archive_open(output, failure);
    if (file < 0)
        return false;
    const bool found = grid_find(file, LAYOUT_RESPONSE, &grids[0]);
    const size_t count = found && grid_find(file, LAYOUT_NORMALIZED, &grids[1]) ? 2 : 1;
    H5Fclose(file);
    if (!found)
        return failure_set(failure, FAILURE_MISMATCH,
                           "%s: its core tasks leave no grid: XDMF is for those that do", output);
    return grids_write(grids, count, output, xdmf, failure);
}
