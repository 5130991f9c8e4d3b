/*
 * libtiff. A shared one is loaded at the first TIFF: it brings nine libraries for compressions and
 * languages of its own, which each rank and each command would otherwise load at its start.
 */
#ifndef SPMD_INPUT_LIBTIFF_H
#define SPMD_INPUT_LIBTIFF_H

#include <tiffio.h>

/* The functions in use. */
#define LIBTIFF_FUNCTIONS(function)                                                                \
    function(TIFFClientOpen) function(TIFFClose) function(TIFFComputeStrip)                        \
        function(TIFFComputeTile) function(TIFFGetField) function(TIFFGetFieldDefaulted)           \
            function(TIFFIsTiled) function(TIFFReadDirectory) function(TIFFReadEncodedStrip)       \
                function(TIFFReadEncodedTile) function(TIFFSetErrorHandler)                        \
                    function(TIFFSetErrorHandlerExt) function(TIFFSetWarningHandler)               \
                        function(TIFFSetWarningHandlerExt) function(TIFFStripSize)                 \
                            function(TIFFTileSize)

struct libtiff {
#define LIBTIFF_MEMBER(name) __typeof__(name) *(name);
    LIBTIFF_FUNCTIONS(LIBTIFF_MEMBER)
#undef LIBTIFF_MEMBER
};

/* May be called by any thread. NULL: libtiff is not installed on this machine. */
const struct libtiff *libtiff_load(void);

#endif
