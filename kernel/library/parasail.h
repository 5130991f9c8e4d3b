/*
 * Parasail. A shared library is loaded at its first use: it has an algorithm for each of thousands
 * of cases, loading takes a fifth of a rank's start, and one core task alone aligns sequences.
 */
#ifndef KERNEL_LIBRARY_PARASAIL_H
#define KERNEL_LIBRARY_PARASAIL_H

#include <parasail.h>

/* The functions in use. */
#define PARASAIL_FUNCTIONS(function)                                                               \
    function(matrix_create) function(matrix_free) function(matrix_lookup)                          \
        function(profile_create_sat) function(profile_free) function(result_free)                  \
            function(result_get_end_query) function(result_get_end_ref) function(result_get_score) \
                function(sw_scan_profile_sat) function(sw_striped_profile_sat) function(version)

/* The functions by their names without parasail_. */
struct parasail {
#define PARASAIL_MEMBER(name) __typeof__(parasail_##name) *(name);
    PARASAIL_FUNCTIONS(PARASAIL_MEMBER)
#undef PARASAIL_MEMBER
};

/* May be called by any thread. NULL: parasail is not installed on this machine. */
const struct parasail *parasail_load(void);

#endif
