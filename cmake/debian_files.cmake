# CPack runs this when the files of each package lie in their trees. It adds the copyright and the
# changelog, says why lintian is wrong, packs man pages, strips debugging information, and puts zsh's completion in the folder
# that Debian's zsh reads.
set(packages libheapsmith0 libheapsmith-dev heapsmith)
set(components libraries development command)
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)  # of SOURCE_DATE_EPOCH
set(changelog "heapsmith (${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}) unstable; \
urgency=medium\n\n  * Version ${CPACK_PACKAGE_VERSION}: see changelog.gz.\n\n \
-- ${CPACK_PACKAGE_CONTACT}  ${date}\n")

file(READ ${CPACK_HEAPSMITH_SOURCE}/LICENSE license)
string(REGEX MATCH "Copyright \\(c\\) ([^\n]*)" ignored "${license}")
set(holder "${CMAKE_MATCH_1}")
string(REGEX REPLACE "^.*\n(Permission is)" "\\1" license "${license}")
string(STRIP "${license}" license)
string(REPLACE "\n\n" "\n.\n" license "${license}")
string(REPLACE "\n" "\n " license "${license}")
set(copyright "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: heapsmith

Files: *
Copyright: ${holder}
License: Expat
 ${license}
")

# What lintian finds and is meant, in the packages of the same names.
set(for_us "# These packages come from heapsmith's own source, not from Debian's archive.
PACKAGE: initial-upload-closes-no-bugs *
")
set(libheapsmith0_meant "${for_us}# Users name these libraries in LD_PRELOAD.
PACKAGE: shared-library-lacks-version *libheapsmith_preload.so *
PACKAGE: shared-library-lacks-version *libheapsmith_trace.so *
PACKAGE: shared-library-lacks-version *libheapsmith_dialects.so *
")
set(libheapsmith-dev_meant "${for_us}# The archive is a linker script, as libm.a of glibc.
PACKAGE: unpack-message-for-deb-data ar failed for *libheapsmith_override.a*
")
set(heapsmith_meant "${for_us}# No preloaded library may enter the launcher of measured programs.
PACKAGE: statically-linked-binary *launcher*
")

function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

foreach(component package IN ZIP_LISTS components packages)
  set(usr ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/${component}/usr)
  set(doc ${usr}/share/doc/${package})
  file(WRITE ${doc}/copyright "${copyright}")
  string(REPLACE PACKAGE ${package} meant "${${package}_meant}")
  file(WRITE ${usr}/share/lintian/overrides/${package} "${meant}")
  file(WRITE ${doc}/changelog.Debian "${changelog}")
  file(COPY_FILE ${CPACK_HEAPSMITH_SOURCE}/CHANGELOG.md ${doc}/changelog)
  file(GLOB pages ${usr}/share/man/man1/*.1)
  run(gzip -9nf ${doc}/changelog.Debian ${doc}/changelog ${pages})

  file(GLOB_RECURSE shared ${usr}/*.so ${usr}/*.so.*)
  foreach(library IN LISTS shared)
    if(NOT IS_SYMLINK ${library})
      run(${CPACK_HEAPSMITH_STRIP} --strip-unneeded -R .comment -R .note ${library})
    endif()
  endforeach()
  file(GLOB_RECURSE archives ${usr}/*.a)
  foreach(archive IN LISTS archives)
    file(READ ${archive} magic LIMIT 7)
    if(magic MATCHES "^!<arch>")  # not the linker script
      run(${CPACK_HEAPSMITH_STRIP} --strip-debug -R .comment -R .note
          --enable-deterministic-archives ${archive})
    endif()
  endforeach()
  file(GLOB programs ${usr}/bin/* ${usr}/libexec/heapsmith/launcher
       ${usr}/libexec/heapsmith/replayer)
  foreach(program IN LISTS programs)
    run(${CPACK_HEAPSMITH_STRIP} -R .comment -R .note ${program})
  endforeach()
  if(EXISTS ${usr}/share/zsh/site-functions)
    file(RENAME ${usr}/share/zsh/site-functions ${usr}/share/zsh/vendor-completions)
  endif()
endforeach()
