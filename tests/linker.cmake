# SCOW_TEST_LINKING: the linker of whatever only tests run. These take a third of the time of the usual one.
find_program(SCOW_TEST_LINKER NAMES ld.lld ld.gold)
set(SCOW_TEST_LINKING "")
if(SCOW_TEST_LINKER AND CMAKE_C_COMPILER_ID MATCHES "^(GNU|Clang)$")
    string(REGEX REPLACE ".*ld\\." "" linker ${SCOW_TEST_LINKER})
    set(SCOW_TEST_LINKING -fuse-ld=${linker})
endif()
