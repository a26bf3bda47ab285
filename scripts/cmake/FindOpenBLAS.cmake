# Finds OpenBLAS, which is loaded while the program runs (src/nn/blas.c): its header, where it is, and a search path for
# the program that leads to it. The serial build comes first; all compute with one thread.
find_path(OpenBLAS_INCLUDE_DIR NAMES cblas.h
  PATH_SUFFIXES openblas-serial openblas openblas-openmp openblas-pthread
  PATHS /usr/include/${CMAKE_LIBRARY_ARCHITECTURE} /opt/homebrew/opt/openblas/include /usr/local/opt/openblas/include)
foreach(kind serial openmp pthread)
  find_library(OpenBLAS_LIBRARY NAMES openblas PATH_SUFFIXES openblas-${kind} NO_DEFAULT_PATH
    PATHS /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE} /usr/lib64 /usr/lib /opt/homebrew/opt/openblas/lib
      /usr/local/opt/openblas/lib)
endforeach()
find_library(OpenBLAS_LIBRARY NAMES openblas)
if(NOT OpenBLAS_LIBRARY OR NOT OpenBLAS_INCLUDE_DIR)
  message(FATAL_ERROR "OpenBLAS was not found. On Debian and Ubuntu: apt-get install libopenblas-serial-dev")
endif()
get_filename_component(openblas_folder ${OpenBLAS_LIBRARY} DIRECTORY)
list(APPEND CMAKE_BUILD_RPATH ${openblas_folder})
list(APPEND CMAKE_INSTALL_RPATH ${openblas_folder})
add_library(OpenBLAS::headers INTERFACE IMPORTED)
target_include_directories(OpenBLAS::headers INTERFACE ${OpenBLAS_INCLUDE_DIR})
set_source_files_properties(${CMAKE_SOURCE_DIR}/src/nn/blas.c PROPERTIES
  COMPILE_DEFINITIONS OPENBLAS_LIBRARY="${OpenBLAS_LIBRARY}")
