#include "spmd/archive/intact_file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "spmd/archive/archive_file.h"
#include "spmd/layout/contents.h"
#include "spmd/layout/cuts.h"
#include "spmd/layout/intact.h"
#include "spmd/layout/layout.h"

struct asked {
    hid_t file;
    const char *path;
    int64_t tasks;
    struct cuts cuts;
    struct intact_subject subject;
    const char *unable; /* why digests are not compared; NULL: they are */
};

/* ---- what there is ------------------------------------------------------------------------- */

static int number_type(hid_t stored)
{
    for (int type = SCOW_NONE + 1; type < SCOW_TEXT_BYTES; type++)
        if (layout_number_type(type) >= 0 && H5Tequal(layout_number_type(type), stored) > 0)
            return type;
    return SCOW_NONE;
}

/* Is there an object of that name? If that cannot be found out, there is one, and it is damaged. */
static bool is_there(const struct asked *asked, const char *name)
{
    return H5Lexists(asked->file, name, H5P_DEFAULT) != 0;
}

/* Where a data set with that many dimensions lies; 0: there is none; negative: it is in several
 * pieces. False with *failure set: it cannot be read. */
static bool place_find(const struct asked *asked, const char *name, int rank, int64_t *place,
                       int64_t *shape, struct failure *failure)
{
    *place = 0;
    if (!is_there(asked, name))
        return true;
    if (!contents_shape(asked->file, name, rank, shape))
        return archive_not_ours(asked->path, name + 1, failure);
    *place = contents_place(asked->file, name, rank, shape);
    return true;
}

/* To be closed; for a data set that exists. */
static hid_t type_find(const struct asked *asked, const char *name)
{
    const hid_t dataset = contents_open(asked->file, name);
    const hid_t type = H5Dget_type(dataset);
    H5Dclose(dataset);
    return type;
}

static bool cuts_find(struct asked *asked, struct failure *failure)
{
    struct intact_subject *subject = &asked->subject;
    subject->box = cuts_box;
    subject->self = &asked->cuts;
    if (cuts_read(&asked->cuts, asked->file, subject->extent, asked->tasks))
        return true;
    asked->unable = "only its core task knows where its results lie, as scow run --resume does";
    return !is_there(asked, LAYOUT_CUTS) || archive_not_ours(asked->path, &LAYOUT_CUTS[1], failure);
}

static bool grid_find(struct asked *asked, struct failure *failure)
{
    struct intact_subject *subject = &asked->subject;
    struct output_places *places = &subject->places;
    int64_t shape[3] = {0};
    subject->number_type = SCOW_NONE;
    if (!place_find(asked, LAYOUT_RESPONSE, 3, &places->response, subject->extent, failure) ||
        !place_find(asked, LAYOUT_NORMALIZED, 3, &places->normalized, shape, failure))
        return false;
    if (places->response <= 0)
        return true;
    const hid_t type = type_find(asked, LAYOUT_RESPONSE);
    subject->number_type = number_type(type);
    H5Tclose(type);
    return cuts_find(asked, failure);
}

static bool records_find(struct asked *asked, struct failure *failure)
{
    struct intact_subject *subject = &asked->subject;
    int64_t rows = 0;
    if (!place_find(asked, LAYOUT_RECORDS, 1, &subject->places.records, &rows, failure))
        return false;
    if (subject->places.records <= 0)
        return true;
    const hid_t type = type_find(asked, LAYOUT_RECORDS);
    subject->record_size = H5Tget_size(type);
    H5Tclose(type);
    return rows == asked->tasks || archive_not_ours(asked->path, &LAYOUT_RECORDS[1], failure);
}

static bool emitted_find(struct asked *asked, struct failure *failure)
{
    struct intact_subject *subject = &asked->subject;
    int64_t rows = 0;
    if (!place_find(asked, LAYOUT_EMITTED, 1, &subject->places.emitted, &rows, failure))
        return false;
    if (subject->places.emitted > 0)
        subject->emitted = archive_emitted(asked->file, asked->path, failure);
    return failure->code == FAILURE_NONE &&
           (subject->places.emitted <= 0 || rows == asked->tasks ||
            archive_not_ours(asked->path, &LAYOUT_EMITTED[1], failure));
}

static bool find(struct asked *asked, bool trust, struct failure *failure)
{
    struct output_places *places = &asked->subject.places;
    int64_t rows = 0;
    asked->subject.path = asked->path;
    if (!place_find(asked, LAYOUT_LEDGER, 1, &places->ledger, &asked->tasks, failure) ||
        !place_find(asked, LAYOUT_DIGESTS, 1, &places->digests, &rows, failure) ||
        !grid_find(asked, failure) || !records_find(asked, failure) ||
        !emitted_find(asked, failure))
        return false;
    if (places->ledger == 0 || (places->digests != 0 && rows != asked->tasks))
        return archive_not_ours(asked->path, places->ledger == 0 ? "ledger" : "digests", failure);
    if (places->digests == 0)
        asked->unable = "it has none, as older versions did not write them";
    if (places->ledger < 0 || places->digests < 0 || places->response < 0 || places->records < 0 ||
        places->emitted < 0)
        asked->unable = "its data sets are in chunks";
    if (trust)
        asked->unable = "as asked (--trust)";
    asked->subject.contents = !asked->unable;
    return true;
}

/* ---- comparing ----------------------------------------------------------------------------- */

static bool tasks_check(const struct asked *asked, struct failure *failure)
{
    struct intact_damage damage = {.count = 0};
    struct text which = TEXT_INIT;
    if (asked->subject.places.ledger > 0 && asked->subject.places.emitted >= 0 &&
        intact_compare(&asked->subject, 0, asked->tasks, &damage, failure) && damage.tasks > 0) {
        intact_damage_tell(&damage, &which);
        failure_set(failure, FAILURE_STOPPED,
                    "%s: the results of %" PRId64 " of %" PRId64
                    " core tasks are not what was written (%s): scow run --resume does them again",
                    asked->path, damage.tasks, asked->tasks, which.bytes ? which.bytes : "?");
    }
    text_release(&which);
    intact_damage_release(&damage);
    return failure->code == FAILURE_NONE;
}

static bool picture_is_good(const struct asked *asked)
{
    const struct intact_subject *subject = &asked->subject;
    double least = 0, greatest = 0;
    if (subject->places.normalized <= 0 || subject->number_type == SCOW_NONE)
        return true;
    contents_number(asked->file, LAYOUT_MINIMUM, H5T_NATIVE_DOUBLE, &least);
    contents_number(asked->file, LAYOUT_MAXIMUM, H5T_NATIVE_DOUBLE, &greatest);
    return intact_picture(subject, 0, subject->extent[0] * subject->extent[1] * subject->extent[2],
                          least, greatest);
}

/* Checks what is made when all core tasks are done. */
static bool whole_check(const struct asked *asked, struct failure *failure)
{
    int32_t complete = 0;
    contents_number(asked->file, LAYOUT_COMPLETE, H5T_NATIVE_INT32, &complete);
    if (!complete || !asked->subject.contents)
        return true;
    if (!picture_is_good(asked))
        return failure_set(failure, FAILURE_STOPPED,
                           "%s: its picture is not that of its results: scow run --resume makes it "
                           "again",
                           asked->path);
    return contents_outcome_holds(asked->file) ||
           failure_set(failure, FAILURE_STOPPED,
                       "%s: its result is not what was written: scow run --resume writes it again",
                       asked->path);
}

bool intact_file_check(const char *path, bool trust, struct text *note, struct failure *failure)
{
    struct asked asked = {.file = archive_open(path, failure), .path = path};
    if (asked.file < 0)
        return false;
    const bool good = find(&asked, trust, failure) && tasks_check(&asked, failure) &&
                      whole_check(&asked, failure);
    if (asked.unable)
        text_add(note, "digests     not compared: %s\n", asked.unable);
    else
        text_add(note, "digests     agree with what is done\n");
    emitted_close(&asked.subject.emitted);
    cuts_release(&asked.cuts);
    H5Fclose(asked.file);
    return good;
}
