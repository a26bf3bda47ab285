# Plants the faults of fault.c in the program: the linker (GNU's or LLVM's) calls its functions instead.
target_sources(qkvlab PRIVATE ${CMAKE_CURRENT_LIST_DIR}/fault.c)
target_include_directories(qkvlab PRIVATE ${CMAKE_CURRENT_LIST_DIR})
target_compile_definitions(qkvlab PRIVATE QKVLAB_FAULTS)
foreach(function kernels_active attention_forward attention_backward attention_scores adam_prepare schedule_rate
    engine_train_step engine_initialise engine_predict source_begin_epoch rng_permutation)
  target_link_options(qkvlab PRIVATE -Wl,--wrap=${function})
endforeach()
