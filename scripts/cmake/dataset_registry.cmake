# Lists the files of datasets/ and writes the registry src/lab/data/dataset.c reads: dataset_<file name>, alphabetical.
file(GLOB QKVLAB_DATASET_SOURCES CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/datasets/*.c)
list(SORT QKVLAB_DATASET_SOURCES)
set(registry "/* Generated from the files in datasets/. X(name) for each. */\n#define DATASET_REGISTRY(X)")
foreach(source ${QKVLAB_DATASET_SOURCES})
  get_filename_component(name ${source} NAME_WE)
  string(APPEND registry " \\\n    X(${name})")
endforeach()
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/generated/dataset_registry.h CONTENT "${registry}\n")
