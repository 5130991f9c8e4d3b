# HDF5 loads libcurl, to read S3, and libcurl loads two dozen libraries: a seventh of what a short command of ours takes,
# and the suite starts thousands. No test reads S3. Where HDF5 can do with it, `environment` has tests find a libcurl that
# can nothing (no_curl.c) and needs nothing.
function(scow_curl_leave_out)
    set(directory ${PROJECT_BINARY_DIR}/tests/no-curl)
    set(library ${directory}/libcurl.so.4)
    if(CMAKE_CROSSCOMPILING OR NOT "$ENV{LD_LIBRARY_PATH}" STREQUAL "" OR NOT CMAKE_C_COMPILER_ID MATCHES "^(GNU|Clang)$")
        return()
    endif()
    file(MAKE_DIRECTORY ${directory})
    execute_process(COMMAND ${CMAKE_C_COMPILER} -shared -fPIC ${PROJECT_SOURCE_DIR}/tests/no_curl.c -o ${library}
        -Wl,-soname,libcurl.so.4,--version-script,${PROJECT_SOURCE_DIR}/tests/no_curl.map RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
    if(NOT failed) # the program by which HDF5 was found opens it (jobs/package/libraries.cmake)
        execute_process(COMMAND ${CMAKE_COMMAND} -E env LD_LIBRARY_PATH=${directory} LD_BIND_NOW=1
            ${PROJECT_BINARY_DIR}/CMakeFiles/external-hdf5 RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
    endif()
    if(NOT failed)
        set(environment ${environment} LD_LIBRARY_PATH=${directory} PARENT_SCOPE)
    endif()
endfunction()

# scow_with_curl(TEST...): these start programs of others, such as cmake, which need the real one.
function(scow_with_curl)
    foreach(test IN LISTS ARGN)
        set_property(TEST ${test} APPEND PROPERTY ENVIRONMENT LD_LIBRARY_PATH=$ENV{LD_LIBRARY_PATH})
    endforeach()
endfunction()
