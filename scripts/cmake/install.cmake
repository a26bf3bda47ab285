# The program, and its manual page and completions, which it prints itself.
install(TARGETS qkvlab RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})

function(add_printed_page file destination)
  set(page ${CMAKE_BINARY_DIR}/pages/${file})
  add_custom_command(OUTPUT ${page}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_BINARY_DIR}/pages
    COMMAND qkvlab ${ARGN} > ${page}
    DEPENDS qkvlab COMMENT "Printing ${file}")
  set_property(GLOBAL APPEND PROPERTY QKVLAB_PAGES ${page})
  install(FILES ${page} DESTINATION ${destination} ${QKVLAB_PAGE_RENAME})
endfunction()

add_printed_page(qkvlab.1 ${CMAKE_INSTALL_MANDIR}/man1 man)
add_printed_page(_qkvlab ${CMAKE_INSTALL_DATADIR}/zsh/site-functions completion zsh)
add_printed_page(qkvlab.fish ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d completion fish)
set(QKVLAB_PAGE_RENAME RENAME qkvlab)
add_printed_page(qkvlab.bash ${CMAKE_INSTALL_DATADIR}/bash-completion/completions completion bash)

get_property(pages GLOBAL PROPERTY QKVLAB_PAGES)
add_custom_target(qkvlab_pages ALL DEPENDS ${pages})
