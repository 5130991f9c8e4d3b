/*
 * Library search: which sequence of a library of known ones is most like each of the input's? A
 * core task is one sequence of the input against the whole library, by exact local alignments
 * (align.h); what is left is the best of each, and the best of all.
 *
 * Source: the lecture's Complib (a source library against a target library, the maximum of each
 * worker and then of all), with exact scores in place of the FASTA heuristic.
 */
#ifndef KERNEL_LIBRARY_LIBRARY_H
#define KERNEL_LIBRARY_LIBRARY_H

#include "kernel/scow.h"

extern const struct scow_task library_task;

#endif
