/* Places of the data in an output file, for ranks that read and write without HDF5. */
#ifndef SPMD_LAYOUT_PLACES_H
#define SPMD_LAYOUT_PLACES_H

#include <stdint.h>

/* Where in the file its data sets lie, bytes from its start, each in one piece: a grid row-major.
 * Ranks write there without HDF5. (Its chunks could not be core tasks, which differ by a pixel, and
 * its parallel driver spends time in proportion to all of them on every access.) */
struct output_places {
    int64_t response, normalized; /* the grid's numbers, bytes; 0: there is none */
    int64_t records, emitted;     /* rows; 0: there are none */
    int64_t partial;              /* two slots a worker; 0: there is none */
    int64_t reasons, reason_size; /* rows of layout_reason_size; 0: older files have none */
    int64_t ledger;               /* bytes */
    int64_t digests;              /* of what each core task left; 0: older files have none */
    /* spmd/output/losses.h: a row for each rank, and rows in order of time; 0: there is none */
    int64_t in_flight, in_flight_rows, lost;
};

#endif
