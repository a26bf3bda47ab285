# Finds OpenBLAS, preferring the serial build: the engine brings its own threads, and the other builds start
# a thread pool of their own when they are loaded. OPENBLAS_KIND says which one was found: serial, pthread,
# openmp, or unknown where a test program cannot be run.
find_path(OpenBLAS_INCLUDE_DIR NAMES cblas.h
  PATH_SUFFIXES openblas-serial openblas openblas-openmp openblas-pthread
  PATHS /usr/include/${CMAKE_LIBRARY_ARCHITECTURE} /opt/homebrew/opt/openblas/include /usr/local/opt/openblas/include)
set(OPENBLAS_LIB_PATHS /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE} /usr/lib64 /usr/lib
  /opt/homebrew/opt/openblas/lib /usr/local/opt/openblas/lib)
foreach(kind serial openmp pthread)
  if(NOT OpenBLAS_LIBRARY)
    find_library(OpenBLAS_LIBRARY NAMES openblas PATHS ${OPENBLAS_LIB_PATHS}
      PATH_SUFFIXES openblas-${kind} NO_DEFAULT_PATH)
  endif()
endforeach()
find_library(OpenBLAS_LIBRARY NAMES openblas)
if(NOT OpenBLAS_LIBRARY OR NOT OpenBLAS_INCLUDE_DIR)
  message(FATAL_ERROR "OpenBLAS was not found. On Debian and Ubuntu: apt-get install libopenblas-serial-dev")
endif()
add_library(OpenBLAS::OpenBLAS UNKNOWN IMPORTED)
set_target_properties(OpenBLAS::OpenBLAS PROPERTIES IMPORTED_LOCATION ${OpenBLAS_LIBRARY}
  INTERFACE_INCLUDE_DIRECTORIES ${OpenBLAS_INCLUDE_DIR})

if(NOT DEFINED OPENBLAS_KIND)
  set(OPENBLAS_KIND unknown)
  if(NOT CMAKE_CROSSCOMPILING)
    set(probe ${CMAKE_BINARY_DIR}/CMakeFiles/openblas_kind.c)
    file(WRITE ${probe} "int openblas_get_parallel(void);\nint main(void) { return openblas_get_parallel(); }\n")
    try_run(OPENBLAS_PROBE_EXIT OPENBLAS_PROBE_BUILT ${CMAKE_BINARY_DIR}/openblas_kind ${probe}
      LINK_LIBRARIES ${OpenBLAS_LIBRARY})
    set(kinds serial pthread openmp)
    if(OPENBLAS_PROBE_BUILT AND OPENBLAS_PROBE_EXIT MATCHES "^[0-2]$")
      list(GET kinds ${OPENBLAS_PROBE_EXIT} OPENBLAS_KIND)
    endif()
  endif()
  set(OPENBLAS_KIND ${OPENBLAS_KIND} CACHE INTERNAL "serial, pthread, openmp or unknown")
endif()
