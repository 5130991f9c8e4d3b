add_library(fuzz-image-format STATIC image_format.c)
target_link_libraries(fuzz-image-format PRIVATE scow-house PUBLIC scow-input)
add_library(fuzz-items STATIC items.c)
target_link_libraries(fuzz-items PRIVATE scow-house PUBLIC spmd-items)

scow_add_fuzz(fuzz-image-png image_png.c png fuzz-image-format)
scow_add_fuzz(fuzz-image-pgm image_pgm.c pgm fuzz-image-format)
scow_add_fuzz(fuzz-lines lines.c lines fuzz-items)
scow_add_fuzz(fuzz-fasta fasta.c fasta fuzz-items)
