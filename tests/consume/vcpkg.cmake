# Runs the port of tools/packaging/vcpkg without vcpkg, which is not at hand: the functions that the
# portfile calls are written here, and do what it asks of them, for one build type.
# cmake -DSOURCE=the tree -DFOLDER=to work in -P vcpkg.cmake
set(PORT heapsmith)
set(port_folder ${SOURCE}/tools/packaging/vcpkg/${PORT})
set(CURRENT_PACKAGES_DIR ${FOLDER}/packages)
file(REMOVE_RECURSE ${FOLDER})

function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY OUTPUT_QUIET)
endfunction()

# called(NAME) notes that the portfile has called a function, in the order of steps.
function(called name)
  set_property(GLOBAL APPEND PROPERTY calls ${name})
endfunction()

function(vcpkg_cmake_configure)
  cmake_parse_arguments(PARSE_ARGV 0 given "" SOURCE_PATH OPTIONS)
  called(configure)
  # As the preset "release", in a folder beside its own: ccache then has all objects.
  run(${CMAKE_COMMAND} -G Ninja -S ${given_SOURCE_PATH} -B ${FOLDER}
      -DCMAKE_BUILD_TYPE=RelWithDebInfo -DHEAPSMITH_WERROR=ON
      -DCMAKE_INSTALL_PREFIX=${CURRENT_PACKAGES_DIR}
      -DCMAKE_INSTALL_LIBDIR=lib -DBUILD_SHARED_LIBS=OFF ${given_OPTIONS})
  file(STRINGS ${FOLDER}/CMakeCache.txt unused REGEX "^HEAPSMITH_[A-Z]+:UNINITIALIZED")
  if(unused)
    message(FATAL_ERROR "the portfile sets options that do not exist: ${unused}")
  endif()
endfunction()

function(vcpkg_cmake_install)
  called(install)
  run(${CMAKE_COMMAND} --build ${FOLDER} --target install)
endfunction()

function(vcpkg_cmake_config_fixup)
  cmake_parse_arguments(PARSE_ARGV 0 given "" CONFIG_PATH "")
  called(config)
  if(NOT EXISTS ${CURRENT_PACKAGES_DIR}/${given_CONFIG_PATH}/${PORT}Config.cmake)
    message(FATAL_ERROR "no CMake package in ${given_CONFIG_PATH}")
  endif()
endfunction()

function(vcpkg_fixup_pkgconfig)
  called(pkgconfig)
  if(NOT EXISTS ${CURRENT_PACKAGES_DIR}/lib/pkgconfig/${PORT}.pc)
    message(FATAL_ERROR "no file for pkg-config")
  endif()
endfunction()

function(vcpkg_install_copyright)
  cmake_parse_arguments(PARSE_ARGV 0 given "" "" FILE_LIST)
  called(copyright)
  file(COPY_FILE ${given_FILE_LIST} ${CURRENT_PACKAGES_DIR}/share/${PORT}/copyright)
endfunction()

include(${port_folder}/portfile.cmake)
get_property(calls GLOBAL PROPERTY calls)
if(NOT calls STREQUAL "configure;install;config;pkgconfig;copyright")
  message(FATAL_ERROR "the portfile did: ${calls}")
endif()

# The manifest: its fields, and each helper port that the portfile calls a function of.
file(READ ${port_folder}/vcpkg.json manifest)
string(JSON name GET "${manifest}" name)
string(JSON version GET "${manifest}" version)
string(JSON first GET "${manifest}" dependencies 0 name)
string(JSON second GET "${manifest}" dependencies 1 name)
file(STRINGS ${SOURCE}/CMakeLists.txt project REGEX "^project\\(")
if(NOT "${name} ${first} ${second}" STREQUAL "${PORT} vcpkg-cmake vcpkg-cmake-config" OR
   NOT project MATCHES "heapsmith VERSION ${version} ")
  message(FATAL_ERROR "vcpkg.json has another name, version or dependencies")
endif()

# Every target that `usage` names exists for a user's project.
file(READ ${CURRENT_PACKAGES_DIR}/share/${PORT}/usage usage)
string(REGEX MATCHALL "heapsmith::[a-z_]+" targets "${usage}")
file(WRITE ${FOLDER}/user/CMakeLists.txt
  "cmake_minimum_required(VERSION 3.25)\nproject(user C)\nfind_package(heapsmith CONFIG REQUIRED)\n"
  "enable_testing()\nforeach(target ${targets})\n  string(MAKE_C_IDENTIFIER \${target} program)\n"
  "  add_executable(\${program} ${SOURCE}/tests/consume/package/calls_hs.c)\n"
  "  target_link_libraries(\${program} PRIVATE \${target})\n"
  "  add_test(NAME \${target} COMMAND \${program})\nendforeach()\n")
run(${CMAKE_CTEST_COMMAND} --build-and-test ${FOLDER}/user ${FOLDER}/user/build
    --build-generator Ninja --build-options -DCMAKE_PREFIX_PATH=${CURRENT_PACKAGES_DIR}
    --test-command ${CMAKE_CTEST_COMMAND} --output-on-failure --no-tests=error)
