# The Debian packages that `./dev package` makes by CPack: one for each component of the
# installation (docs/packages.md).
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_VENDOR "the heapsmith authors")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")  # each package has its own
set(CPACK_PACKAGE_CONTACT "the heapsmith authors <heapsmith@packages.invalid>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_COMPONENTS_ALL libraries development command)
set(CPACK_COMPONENTS_GROUPING IGNORE)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR})
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(this_version "(= ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})")

# debian_package(COMPONENT NAME SECTION DEPENDS SUMMARY DESCRIPTION) describes one package.
macro(debian_package component name section depends summary description)
  string(TOUPPER ${component} upper)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${name})
  set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION ${section})
  set(CPACK_DEBIAN_${upper}_PACKAGE_DEPENDS "${depends}")
  set(CPACK_DEBIAN_${upper}_DESCRIPTION "${summary}\n${description}")
endmacro()

debian_package(libraries libheapsmith0 libs ""
  "memory allocators for C and C++ (shared libraries)"
  "heapsmith is a family of memory allocators. This package has
libheapsmith.so.0, the C API, and libheapsmith_preload.so, which serves
malloc and operator new of a program by LD_PRELOAD.")
debian_package(development libheapsmith-dev libdevel "libheapsmith0 ${this_version}, libc6-dev"
  "memory allocators for C and C++ (development files)"
  "heapsmith is a family of memory allocators: a general heap, first-class
heaps, arenas, scopes, regions and pools. This package has the headers, the
static libraries, the CMake package and the files for pkg-config.")
debian_package(command heapsmith devel "libheapsmith0 ${this_version}"
  "compares memory allocators on a program"
  "heapsmith runs a program under several memory allocators, and shows how each
one changes its time and memory, with intervals. It also records, replays and
explains the allocations of a program.")

# After the installation into the tree of each package: what Debian's policy asks of the files.
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/debian_files.cmake)
set(CPACK_HEAPSMITH_SOURCE ${PROJECT_SOURCE_DIR})
set(CPACK_HEAPSMITH_STRIP ${CMAKE_STRIP})
include(CPack)
