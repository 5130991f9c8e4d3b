# Readers of images and the writer of previews. They need no MPI themselves; HDF5 here is built
# with it.
find_package(PNG REQUIRED)
pkg_check_modules(CRYPTO REQUIRED IMPORTED_TARGET libcrypto)

add_library(scow-image STATIC input/image.c input/image_png.c input/image_pgm.c input/image_h5.c
    output/preview.c output/preview_png.c)
# Later HDF5 versions give some functions more arguments under the same name.
target_compile_definitions(scow-image PRIVATE H5_USE_110_API)
target_link_libraries(scow-image
    PUBLIC scow-planner scow-kernel
    PRIVATE scow-house PkgConfig::HDF5 MPI::MPI_C PNG::PNG PkgConfig::CRYPTO)
