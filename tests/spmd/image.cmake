# Found a second time: what spmd/ found is not seen from here.

add_library(spmd-pictures STATIC pictures.c)
target_link_libraries(spmd-pictures PRIVATE scow-house PUBLIC external::libpng external::cmocka)

scow_add_test(spmd-image unit image.c spmd-pictures scow-image)
scow_add_test(spmd-image-h5 unit image_h5.c spmd-pictures scow-image external::hdf5 MPI::MPI_C)
scow_add_test(spmd-preview unit preview.c spmd-pictures scow-image external::hdf5 MPI::MPI_C)
