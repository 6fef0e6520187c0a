# The files that `cmake --install` installs: libraries, headers, the CMake package, the pkg-config
# files, and, if they have been built, the heapsmith command and its man pages.
include(CMakePackageConfigHelpers)

set(cmake_dir ${CMAKE_INSTALL_LIBDIR}/cmake/heapsmith)
set(pkgconfig_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# The components are the packages of docs/packages.md: libraries, development and command.
set(libraries LIBRARY COMPONENT libraries NAMELINK_COMPONENT development
              RUNTIME COMPONENT libraries ARCHIVE COMPONENT development)
install(TARGETS heapsmith heapsmith_static heapsmith_malloc heapsmith_headers heapsmith_checks
        EXPORT heapsmith-targets ${libraries})
set(pkgconfig_files heapsmith heapsmith-headers)
if(NOT WIN32)
  list(APPEND pkgconfig_files heapsmith-malloc)
  install(TARGETS heapsmith_preload heapsmith_dialects EXPORT heapsmith-targets ${libraries})
  if(TARGET heapsmith_trace)
    install(TARGETS heapsmith_trace EXPORT heapsmith-targets ${libraries})
  endif()
  # A linker script stands for the archive where people look for it. CMake and pkg-config need none.
  install(TARGETS heapsmith_override EXPORT heapsmith-targets
          ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}/heapsmith COMPONENT development)
  install(FILES src/adapt/override/link.ld DESTINATION ${CMAKE_INSTALL_LIBDIR}
          RENAME libheapsmith_override.a COMPONENT development)
  install(FILES src/adapt/override/exports.map DESTINATION ${CMAKE_INSTALL_LIBDIR}/heapsmith
          COMPONENT development)
endif()
install(DIRECTORY include/heapsmith DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
install(PROGRAMS ${PROJECT_BINARY_DIR}/heapsmith DESTINATION ${CMAKE_INSTALL_BINDIR}
        COMPONENT command OPTIONAL)
# The man pages and the completions of shells, which `heapsmith manual` wrote.
install(DIRECTORY ${PROJECT_BINARY_DIR}/share/ DESTINATION ${CMAKE_INSTALL_DATADIR}
        COMPONENT command OPTIONAL)
if(HEAPSMITH_LAB)
  # The command needs these. The workloads beside them serve the suites of the source tree.
  set(lab ${PROJECT_BINARY_DIR}/lab)
  install(PROGRAMS ${lab}/launcher ${lab}/replayer DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/heapsmith
          COMPONENT command)
  install(FILES ${lab}/libprobe.so ${lab}/libheapsmith_recorder.so
          DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/heapsmith COMPONENT command)
endif()
if(NOT WIN32)
  # The commands of gdb and lldb: docs/debugging.md.
  install(DIRECTORY lab/debuggers/gdb lab/debuggers/lldb lab/debuggers/heapsmith_debug
          DESTINATION ${CMAKE_INSTALL_DATADIR}/heapsmith
          COMPONENT development FILES_MATCHING PATTERN "*.py")
endif()
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT license)

install(EXPORT heapsmith-targets FILE heapsmithTargets.cmake NAMESPACE heapsmith::
        DESTINATION ${cmake_dir} COMPONENT development)
configure_package_config_file(cmake/heapsmithConfig.cmake.in
  ${PROJECT_BINARY_DIR}/package/heapsmithConfig.cmake INSTALL_DESTINATION ${cmake_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/package/heapsmithConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/package/heapsmithConfig.cmake
              ${PROJECT_BINARY_DIR}/package/heapsmithConfigVersion.cmake
        DESTINATION ${cmake_dir} COMPONENT development)

# The pkg-config files find the prefix relative to themselves, so an installed tree can be moved.
file(RELATIVE_PATH PREFIX_FROM_PC "/${pkgconfig_dir}" "/")
foreach(name IN LISTS pkgconfig_files)
  configure_file(cmake/${name}.pc.in ${PROJECT_BINARY_DIR}/package/${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/package/${name}.pc DESTINATION ${pkgconfig_dir}
          COMPONENT development)
endforeach()
