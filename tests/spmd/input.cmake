# Found a second time: what spmd/ found is not seen from here.

add_library(spmd-pictures STATIC pictures.c)
target_link_libraries(spmd-pictures PRIVATE scow-house PUBLIC external::libpng external::cmocka)

scow_add_test(spmd-image unit image.c spmd-pictures scow-input)
if(TARGET external::tiff)
    scow_add_test(spmd-image-tiff unit image_tiff.c spmd-pictures scow-input external::tiff)
endif()
scow_add_test(spmd-image-arrays unit image_arrays.c spmd-pictures scow-input)
scow_add_test(spmd-image-h5 unit image_h5.c spmd-pictures scow-input external::hdf5 MPI::MPI_C)
scow_add_test(spmd-preview unit preview.c spmd-pictures scow-readers external::libpng scow-input external::hdf5 MPI::MPI_C)

add_library(spmd-items STATIC items.c)
target_link_libraries(spmd-items PRIVATE scow-house PUBLIC scow-input)
scow_add_test(spmd-lines unit lines.c spmd-pictures spmd-items)
scow_add_test(spmd-unpack unit unpack.c spmd-pictures spmd-items)
scow_add_test(spmd-fasta unit fasta.c spmd-pictures spmd-items)
scow_add_test(spmd-input unit input.c spmd-pictures scow-input)
scow_add_test(spmd-input-faults unit input_faults.c spmd-pictures scow-input scow-scarcity)
target_link_options(spmd-input-faults PRIVATE LINKER:--wrap=pread)
scow_add_test(spmd-digest unit digest.c spmd-pictures scow-input)
scow_test_threads(spmd-digest spmd-digest)
