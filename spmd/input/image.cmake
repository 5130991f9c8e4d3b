# Readers of images and the writer of previews. They need no MPI themselves; HDF5 may be built
# with it.

add_library(scow-image STATIC input/image.c input/image_png.c input/image_pgm.c input/image_h5.c
    output/preview.c output/preview_png.c)
target_link_libraries(scow-image
    PUBLIC scow-planner scow-kernel
    PRIVATE scow-house external::hdf5 MPI::MPI_C external::libpng external::libcrypto)
