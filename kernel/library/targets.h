/*
 * The library: sequences of a FASTA file, which the master reads and every rank is given, one
 * letter a byte, as they stand in the file but for white space. Plain text, or compressed by gzip
 * where scow was built with zlib.
 */
#ifndef KERNEL_LIBRARY_TARGETS_H
#define KERNEL_LIBRARY_TARGETS_H

#include "kernel/scow.h"

enum { TARGET_NAME_SIZE = 40 };

/* What ranks are given: this, then targets + 1 places of letters (int64_t), then as many names as
 * targets (TARGET_NAME_SIZE bytes each, padded with zeros), then the letters. */
struct targets_shared {
    int64_t targets, letters;
    int64_t sources, source_letters, longest_source; /* of the input */
    uint64_t digest;                                 /* of names and letters */
    bool dna;                                        /* all letters are A, C, G, T, U or N */
};

/* A view of it; nothing is owned. */
struct targets {
    const struct targets_shared *shared;
    const int64_t *places; /* of the first letter of each, and of the end */
    const char *names;     /* TARGET_NAME_SIZE bytes each */
    const char *letters;
};

struct targets targets_view(const void *shared);
const char *targets_name(const struct targets *targets, int64_t target);

/* The file's sequences as ranks are given them, with zeros for what is of the input; *bytes is
 * owned, aligned for any type. SCOW_OK, or what host->fail returned. */
int targets_read(const struct scow_host *host, const char *path, void **bytes, size_t *size);

#endif
