# The vector kernels are compiled once per SIMD level and chosen at start-up (src/nn/kernels/dispatch.c), so one
# binary runs everywhere and is fast where it can be.
set(kernel_sources
  ${CMAKE_SOURCE_DIR}/src/nn/kernels/kernels.c
  ${CMAKE_SOURCE_DIR}/src/nn/kernels/product.c
  ${CMAKE_SOURCE_DIR}/src/nn/kernels/dropout.c)
if(QKVLAB_SANITIZE OR QKVLAB_FUZZ)
  set(kernel_level -O1) # instrumented and unrolled, the products take minutes to optimise further
else()
  set(kernel_level -O3)
endif()
set(kernel_flags ${kernel_level} -fopenmp-simd -ffp-contract=fast -fno-math-errno -fno-trapping-math)
if(QKVLAB_FUZZ)
  list(APPEND kernel_flags -fno-sanitize=all) # readers are searched, not products
endif()
if(CMAKE_C_COMPILER_ID STREQUAL GNU)
  # The pointers of the innermost loop are chosen to fit the registers; gcc would choose more.
  set_source_files_properties(${CMAKE_SOURCE_DIR}/src/nn/kernels/product.c PROPERTIES COMPILE_OPTIONS -fno-ivopts)
endif()
target_sources(qkvlab_nn PRIVATE ${CMAKE_SOURCE_DIR}/src/nn/kernels/dispatch.c)

function(add_kernel_level level)
  add_library(qkvlab_kernels_${level} OBJECT ${kernel_sources})
  target_link_libraries(qkvlab_kernels_${level} PRIVATE qkvlab_flags)
  target_compile_definitions(qkvlab_kernels_${level} PRIVATE KERNEL_LEVEL=${level})
  target_compile_options(qkvlab_kernels_${level} PRIVATE ${kernel_flags} ${ARGN})
  target_sources(qkvlab_nn PRIVATE $<TARGET_OBJECTS:qkvlab_kernels_${level}>)
  target_compile_definitions(qkvlab_nn PRIVATE HAVE_KERNELS_${level})
endfunction()

add_kernel_level(generic)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  add_kernel_level(v3 -march=x86-64-v3)
  add_kernel_level(v4 -march=x86-64-v4 -mprefer-vector-width=512)
endif()
