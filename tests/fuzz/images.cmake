add_library(fuzz-image-format STATIC image_format.c)
target_link_libraries(fuzz-image-format PRIVATE scow-house PUBLIC scow-input)

scow_add_fuzz(fuzz-image-png image_png.c png fuzz-image-format)
scow_add_fuzz(fuzz-image-pgm image_pgm.c pgm fuzz-image-format)
