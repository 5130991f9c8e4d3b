# Readers of inputs, one file a kind. They need no MPI themselves; HDF5 here is built with it.

add_library(scow-input STATIC
    input/input.c
    input/digest.c
    input/regular.c
    input/spans.c
    input/spool.c
    input/unpack.c
    # kinds: one file each, and a row in input.c
    input/none.c
    input/image.c
    input/lines.c
    input/fasta.c
    input/file.c
    # formats of images: one file each, and a row in image.c
    input/image_h5.c
    input/image_nifti.c
    input/image_npy.c
    input/image_number.c
    input/image_pgm.c
    input/image_png.c
    input/image_tiff.c)
# Later HDF5 versions give some functions more arguments under the same name.
target_compile_definitions(scow-input PRIVATE H5_USE_110_API)
target_link_libraries(scow-input
    PUBLIC scow-planner
    PRIVATE scow-house external::hdf5 MPI::MPI_C external::libpng external::libcrypto Threads::Threads)
# Compressed text and FASTA; TIFF.
foreach(library zlib zstd)
    if(TARGET external::${library})
        string(TOUPPER SCOW_HAVE_${library} have)
        target_compile_definitions(scow-input PUBLIC ${have})
        target_link_libraries(scow-input PRIVATE external::${library})
    endif()
endforeach()
if(TARGET external::tiff)
    target_sources(scow-input PRIVATE input/libtiff.c)
    target_compile_definitions(scow-input PUBLIC SCOW_HAVE_TIFF)
    external_use(scow-input tiff tiff input/libtiff.c SCOW_TIFF_LIBRARY)
endif()
