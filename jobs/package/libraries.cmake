# Finding libraries of others. Each becomes a target: external::NAME, or the usual one of CMake's own
# modules (MPI::MPI_C, OpenMP::OpenMP_C). What is missing is collected, and said at once in the end.
include(CheckSymbolExists)
find_package(PkgConfig QUIET)

# external_missing(WHAT DEBIAN FEDORA HOMEBREW): remember that this is missing, and whose package it is.
function(external_missing what debian fedora homebrew)
    set_property(GLOBAL APPEND_STRING PROPERTY EXTERNAL_MISSING
        "  ${what}: Debian ${debian}, Fedora ${fedora}, Homebrew ${homebrew}\n")
    set_property(GLOBAL APPEND_STRING PROPERTY EXTERNAL_DEBIAN " ${debian}")
endfunction()

# external_check(): end here if anything is missing.
function(external_check)
    get_property(missing GLOBAL PROPERTY EXTERNAL_MISSING)
    get_property(debian GLOBAL PROPERTY EXTERNAL_DEBIAN)
    if(missing)
        message(FATAL_ERROR "libraries are missing, or not where compilers and pkg-config look:\n"
            "${missing}Install them; on Debian:\n"
            "  sudo apt-get install --no-install-recommends${debian}\n"
            "Or say in which folder they are with -DCMAKE_PREFIX_PATH=FOLDER. "
            "The planner alone (-DSCOW_PLANNER_ONLY=ON) needs jansson and libcrypto only, "
            "and -DBUILD_TESTING=OFF no cmocka.")
    endif()
endfunction()

# external_try(NAME TARGET SYMBOL HEADERS): make TARGET external::NAME if a program that needs SYMBOL
# compiles and links with it. Done anew after a failure: it may have been installed since.
function(external_try name target symbol headers)
    set(CMAKE_REQUIRED_LIBRARIES ${target})
    set(CMAKE_REQUIRED_QUIET ON)
    string(MAKE_C_IDENTIFIER ${target}_works works)
    check_symbol_exists(${symbol} "${headers}" ${works})
    if(${works})
        add_library(external::${name} ALIAS ${target})
    else()
        unset(${works} CACHE)
    endif()
endfunction()

# external_module(NAME MODULE SYMBOL HEADERS): the same by pkg-config.
function(external_module name module symbol headers)
    if(PkgConfig_FOUND)
        pkg_check_modules(EXTERNAL_${module} QUIET IMPORTED_TARGET ${module})
    endif()
    if(TARGET PkgConfig::EXTERNAL_${module})
        external_try(${name} PkgConfig::EXTERNAL_${module} ${symbol} "${headers}")
    endif()
    if(TARGET external::${name})
        message(STATUS "Found ${name} ${EXTERNAL_${module}_VERSION} (pkg-config ${module})")
    endif()
endfunction()

# external_find(NAME [OPTIONAL] SYMBOL FUNCTION HEADERS FILE... MODULES MODULE... LIBRARIES LIBRARY...
# PACKAGES DEBIAN FEDORA HOMEBREW): a library by the first of the MODULES of pkg-config that has it,
# else where compilers look for headers and libraries.
function(external_find name)
    cmake_parse_arguments(PARSE_ARGV 1 want OPTIONAL SYMBOL "HEADERS;MODULES;LIBRARIES;PACKAGES")
    foreach(module IN LISTS want_MODULES)
        if(NOT TARGET external::${name})
            external_module(${name} ${module} ${want_SYMBOL} "${want_HEADERS}")
        endif()
    endforeach()
    if(TARGET external::${name})
        return()
    endif()
    list(GET want_HEADERS -1 header)
    find_path(EXTERNAL_${name}_INCLUDE ${header} PATH_SUFFIXES coin coin-or lapacke openblas)
    find_library(EXTERNAL_${name}_LIBRARY NAMES ${want_LIBRARIES})
    mark_as_advanced(EXTERNAL_${name}_INCLUDE EXTERNAL_${name}_LIBRARY)
    if(EXTERNAL_${name}_INCLUDE AND EXTERNAL_${name}_LIBRARY)
        add_library(external-${name} INTERFACE IMPORTED)
        target_include_directories(external-${name} INTERFACE ${EXTERNAL_${name}_INCLUDE})
        target_link_libraries(external-${name} INTERFACE ${EXTERNAL_${name}_LIBRARY})
        external_try(${name} external-${name} ${want_SYMBOL} "${want_HEADERS}")
    endif()
    if(TARGET external::${name})
        message(STATUS "Found ${name} (${EXTERNAL_${name}_LIBRARY})")
    elseif(NOT want_OPTIONAL)
        external_missing(${name} ${want_PACKAGES})
    endif()
endfunction()

function(external_find_openmp)
    find_package(OpenMP QUIET COMPONENTS C)
    if(NOT OpenMP_C_FOUND)
        external_missing("OpenMP for ${CMAKE_C_COMPILER}" libomp-dev libomp-devel libomp)
    endif()
endfunction()

# external_mpicc_find(UNFIT): an MPI's compiler that finds its header, in the folder of the first
# mpicc; UNFIT becomes true where there is none that does.
# Debian can have several MPIs beside each other there, and then mpicc is any of them: look for MPICH
# by its own name first. A compiler without a header (mpich without libmpich-dev) counts for nothing.
function(external_mpicc_find result)
    find_program(EXTERNAL_MPICC mpicc)
    mark_as_advanced(EXTERNAL_MPICC)
    if(NOT EXTERNAL_MPICC)
        return()
    endif()
    get_filename_component(directory "${EXTERNAL_MPICC}" DIRECTORY)
    set(program ${PROJECT_BINARY_DIR}/CMakeFiles/external-mpi.c)
    file(WRITE ${program} "#include <mpi.h>\n")
    foreach(name mpicc.mpich mpicc.openmpi mpicc)
        execute_process(COMMAND ${directory}/${name} -E ${program} OUTPUT_QUIET ERROR_QUIET
            RESULT_VARIABLE unfit)
        if(NOT unfit)
            set(MPI_C_COMPILER ${directory}/${name} CACHE FILEPATH "MPI compiler for C")
            return()
        endif()
    endforeach()
    set(${result} TRUE PARENT_SCOPE)
endfunction()

# Who names an MPI (MPI_C_COMPILER, MPI_HOME, its mpicc first in the PATH) gets that one.
function(external_find_mpi)
    if(NOT MPI_C_COMPILER AND NOT MPI_HOME AND NOT DEFINED ENV{MPI_HOME}
        AND NOT CMAKE_C_COMPILER MATCHES "mpi[a-z]*cc")
        external_mpicc_find(unfit)
    endif()
    set(wrapper ${MPI_C_COMPILER})
    if(NOT wrapper)
        set(wrapper ${CMAKE_C_COMPILER})
    endif()
    if(wrapper MATCHES "^(.*/)?mpicc(\\.[a-z]+)$")
        find_program(MPIEXEC_EXECUTABLE mpiexec${CMAKE_MATCH_2} HINTS "${CMAKE_MATCH_1}")
    endif()
    if(NOT unfit)
        find_package(MPI QUIET COMPONENTS C)
    endif()
    if(NOT MPI_C_FOUND OR NOT MPIEXEC_EXECUTABLE)
        external_missing("MPI (MPICH) with mpicc and mpiexec" "mpich libmpich-dev" mpich-devel mpich)
        return()
    endif()
    message(STATUS "Found MPI ${MPI_C_VERSION} (${MPI_C_COMPILER}, ${MPIEXEC_EXECUTABLE})")
    set(CMAKE_REQUIRED_LIBRARIES MPI::MPI_C)
    set(CMAKE_REQUIRED_QUIET ON)
    check_symbol_exists(MPICH_VERSION mpi.h SCOW_HAVE_MPICH)
    if(NOT SCOW_HAVE_MPICH)
        message(WARNING "This MPI (${MPI_C_INCLUDE_DIRS}) is not MPICH, which scow is tested with. "
            "To build with an MPICH that is elsewhere, name its compiler: -DMPI_C_COMPILER=mpicc.")
    endif()
endfunction()

# external_hdf5_try(TARGET WHICH): make TARGET external::hdf5 if it works beside this MPI. A parallel
# HDF5 that was built with another one would bring that into every program, and crash it.
function(external_hdf5_try target which)
    set(program ${PROJECT_BINARY_DIR}/CMakeFiles/external-hdf5)
    try_compile(linked SOURCE_FROM_CONTENT main.c "#include <hdf5.h>
#include <mpi.h>
int main(void)
{
    int initialized;
    return MPI_Initialized(&initialized) + H5open();
}
" LINK_LIBRARIES ${target} MPI::MPI_C COPY_FILE ${program} NO_CACHE)
    if(NOT linked)
        return()
    endif()
    execute_process(COMMAND ldd ${program} OUTPUT_VARIABLE libraries ERROR_QUIET)
    string(REGEX MATCHALL "libmpi(ch)?\\.so[.0-9]* =>" mpis "${libraries}")
    list(LENGTH mpis count)
    if(count GREATER 1)
        message(STATUS "Not taken: HDF5 ${which} was built with another MPI")
        return()
    endif()
    add_library(external-hdf5 INTERFACE IMPORTED)
    # Later versions give some functions more arguments under the same name.
    target_compile_definitions(external-hdf5 INTERFACE H5_USE_110_API)
    target_link_libraries(external-hdf5 INTERFACE ${target} MPI::MPI_C)
    add_library(external::hdf5 ALIAS external-hdf5)
    message(STATUS "Found HDF5 ${which}")
endfunction()

# A parallel HDF5 or a serial one: only serial calls are made. Debian has one for each of its MPIs,
# of that name; who names an HDF5 (HDF5_ROOT, HDF5_DIR) gets that one.
function(external_find_hdf5)
    set(flavour mpich)
    if(MPI_C_COMPILER MATCHES "mpicc\\.([a-z]+)$")
        set(flavour ${CMAKE_MATCH_1})
    endif()
    if(TARGET MPI::MPI_C AND PkgConfig_FOUND AND MPI_C_COMPILER MATCHES "mpicc\\.${flavour}$"
        AND NOT HDF5_ROOT AND NOT DEFINED ENV{HDF5_ROOT} AND NOT HDF5_DIR)
        set(module hdf5-${flavour})
        pkg_check_modules(EXTERNAL_hdf5 QUIET IMPORTED_TARGET ${module})
        if(EXTERNAL_hdf5_FOUND)
            external_hdf5_try(PkgConfig::EXTERNAL_hdf5
                "${EXTERNAL_hdf5_VERSION} (pkg-config ${module})")
        endif()
    endif()
    if(TARGET MPI::MPI_C AND NOT TARGET external::hdf5)
        find_package(HDF5 QUIET COMPONENTS C)
        if(HDF5_FOUND)
            add_library(external-hdf5-found INTERFACE IMPORTED)
            target_include_directories(external-hdf5-found INTERFACE ${HDF5_C_INCLUDE_DIRS})
            target_compile_definitions(external-hdf5-found INTERFACE ${HDF5_C_DEFINITIONS})
            target_link_libraries(external-hdf5-found INTERFACE ${HDF5_C_LIBRARIES})
            external_hdf5_try(external-hdf5-found "${HDF5_VERSION} (${HDF5_C_INCLUDE_DIRS})")
        endif()
    endif()
    if(NOT TARGET external::hdf5)
        external_missing("HDF5, serial or of this MPI" libhdf5-${flavour}-dev
            hdf5-${flavour}-devel hdf5)
    endif()
endfunction()

# external_use(TARGET NAME LIBRARY SOURCE DEFINITION): let TARGET's SOURCE use external::NAME. A shared library is
# loaded when it is needed, by its soname, which SOURCE gets as DEFINITION (planner/base/shared_library.h) and the global
# property EXTERNAL_LOADED lists; another one is linked.
function(external_use target name library source definition)
    find_library(SCOW_${library}_FILE ${library})
    mark_as_advanced(SCOW_${library}_FILE)
    if(SCOW_${library}_FILE AND CMAKE_OBJDUMP)
        execute_process(COMMAND ${CMAKE_OBJDUMP} -p ${SCOW_${library}_FILE} OUTPUT_VARIABLE sections ERROR_QUIET)
    endif()
    if(sections MATCHES "SONAME +([^ \n]+)")
        set_source_files_properties(${source} PROPERTIES COMPILE_DEFINITIONS ${definition}="${CMAKE_MATCH_1}")
        set_property(GLOBAL APPEND PROPERTY EXTERNAL_LOADED ${CMAKE_MATCH_1})
        target_include_directories(${target} SYSTEM PRIVATE
            $<TARGET_PROPERTY:external::${name},INTERFACE_INCLUDE_DIRECTORIES>)
    else()
        target_link_libraries(${target} PRIVATE external::${name})
    endif()
endfunction()
