/*
 * Names and types of the output file, for the one who writes it and the one who reads it.
 */
#ifndef SPMD_OUTPUT_LAYOUT_H
#define SPMD_OUTPUT_LAYOUT_H

#include <hdf5.h>
#include <stdbool.h>
#include <stdint.h>

#define LAYOUT_RESPONSE "/response"
#define LAYOUT_NORMALIZED "/normalized"
#define LAYOUT_LEDGER "/ledger"
#define LAYOUT_RUN "/run"
#define LAYOUT_PLAN "/run/plan"
#define LAYOUT_PROFILE "/run/profile"
#define LAYOUT_TRACE "/run/trace"

/* Attributes of the root group. */
#define LAYOUT_VERSION "version"
#define LAYOUT_INPUT "input"
#define LAYOUT_INPUT_SHA256 "input_sha256"
#define LAYOUT_KERNEL "kernel"
#define LAYOUT_ISA "isa"
#define LAYOUT_METHOD "method"     /* how every rank computes a core task */
#define LAYOUT_CHECKSUM "checksum" /* 16 hexadecimal digits */
#define LAYOUT_COMPLETE "complete" /* 1 when the run reached its end */
#define LAYOUT_MINIMUM "minimum"
#define LAYOUT_MAXIMUM "maximum"
#define LAYOUT_FINISH "finish_s"

/* struct trace_event in memory; packed in the file. To be closed; negative: failed. */
hid_t layout_trace_type(void);
/* Fixed-length UTF-8 string of `size` bytes. To be closed; negative: failed. */
hid_t layout_text_type(size_t size);
/* Write rows [first, first + count) of a one-dimensional data set. */
bool layout_rows_write(hid_t dataset, hid_t type, int64_t first, int64_t count, const void *values);
/* Failures are told in our sentences, not in HDF5's stack. */
void layout_quiet(void);

#endif
