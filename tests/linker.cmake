# Two hundred programs are linked for tests, and by these linkers a program takes a fifth to two thirds of the time that
# it takes by the usual one.
find_program(SCOW_TEST_LINKER NAMES ld.gold ld.lld)
if(SCOW_TEST_LINKER AND CMAKE_C_COMPILER_ID MATCHES "^(GNU|Clang)$")
    string(REGEX REPLACE ".*ld\\." "" linker ${SCOW_TEST_LINKER})
    add_link_options(-fuse-ld=${linker})
endif()
