#include "spmd/archive/fields.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "spmd/archive/archive_file.h"
#include "spmd/layout/contents.h"
#include "spmd/layout/layout.h"

/* Records that are read at once, a field at a time. */
static const size_t RECORDS_MOST = 20000000;

struct range {
    double least, greatest, sum;
    int64_t count;
};

static struct range range_of(const double *values, const uint8_t *ledger, size_t count)
{
    struct range range = {HUGE_VAL, -HUGE_VAL, 0, 0};
    for (size_t i = 0; i < count; i++) {
        if (ledger[i] != 1 || isnan(values[i]))
            continue;
        range.least = fmin(range.least, values[i]);
        range.greatest = fmax(range.greatest, values[i]);
        range.sum += values[i];
        range.count++;
    }
    return range;
}

static void range_print(const char *field, const struct range *range, struct text *text)
{
    const char *const keys[] = {"least", "mean", "greatest"};
    const double values[] = {range->least, range->sum / (double)range->count, range->greatest};
    text_add(text, "{\"field\": ");
    text_add_quoted(text, field);
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
        text_add(text, ", \"%s\": ", keys[k]);
        text_add_number(text, values[k]);
    }
    text_add(text, "}");
}

/* The fields of a record that are one number each. */
static void numbers_print(hid_t file, hid_t stored, const uint8_t *ledger, size_t count,
                          struct text *text)
{
    const int members = H5Tget_class(stored) == H5T_COMPOUND ? H5Tget_nmembers(stored) : 0;
    const char *before = "";
    for (int k = 0; k < members; k++) {
        const H5T_class_t kind = H5Tget_member_class(stored, (unsigned)k);
        char *field = H5Tget_member_name(stored, (unsigned)k);
        double *values = field && (kind == H5T_INTEGER || kind == H5T_FLOAT)
                             ? contents_column(file, LAYOUT_RECORDS, field, count)
                             : NULL;
        if (values) {
            const struct range range = range_of(values, ledger, count);
            text_add(text, "%s", before);
            range_print(field, &range, text);
            before = ", ";
        }
        free(values);
        H5free_memory(field);
    }
}

static bool records_print(hid_t file, hid_t dataset, struct text *text)
{
    size_t count = 0;
    uint8_t *ledger = archive_ledger(file, &count);
    const bool good = ledger && count <= RECORDS_MOST;
    if (good) {
        const hid_t stored = H5Dget_type(dataset);
        text_add(text, "[");
        numbers_print(file, stored, ledger, count, text);
        text_add(text, "]");
        H5Tclose(stored);
    }
    free(ledger);
    return good;
}

bool fields_print(const char *path, struct text *text, struct failure *failure)
{
    const hid_t file = archive_open(path, failure);
    if (file < 0)
        return false;
    const hid_t dataset = contents_open(file, LAYOUT_RECORDS);
    if (dataset < 0 || !records_print(file, dataset, text))
        text_add(text, "null");
    if (dataset >= 0)
        H5Dclose(dataset);
    H5Fclose(file);
    return true;
}
