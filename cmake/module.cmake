# What most sources include, compiled once for all programs of a kind (`owner`: the first of them). A source includes what
# it needs all the same: the presets dev, clang and tidy compile without (CMAKE_DISABLE_PRECOMPILE_HEADERS), and so does
# gcc, which gains a tenth and then warns of std::string's own code.
set(common_headers <algorithm> <chrono> <functional> <map> <optional> <set> <string> <string_view> <vector>
                   <fmt/format.h> <nlohmann/json.hpp>)
function(use_common_headers target owner)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    return()  # nor does it get these links: what a module does not name in its own is missing there
  endif()
  target_link_libraries(${target} PRIVATE fmt::fmt nlohmann_json::nlohmann_json)
  if(target STREQUAL owner)
    target_precompile_headers(${target} PRIVATE ${common_headers} ${ARGN})
  else()
    target_precompile_headers(${target} REUSE_FROM ${owner})
  endif()
endfunction()

# add_module(FOLDER [SHARED OUTPUT_NAME name] SOURCES a.cpp… [USES FOLDER…] [LINKS target…] [PRIVATE_LINKS target…] [TEST_LINKS target…]
#            [COMMON_HEADERS <header>…])
#
# One folder = one library (tool/base -> tool_base) = one test program made of the folder's *_test.cpp
# files. Headers are checked to compile alone; includes start at the repository root. LINKS are foreign
# libraries that users of the module need too, PRIVATE_LINKS only its sources, TEST_LINKS only its test program.
# COMMON_HEADERS are what most sources of this module include, beside the common_headers of all.
function(add_module folder)
  cmake_parse_arguments(M "SHARED" "OUTPUT_NAME" "SOURCES;USES;LINKS;PRIVATE_LINKS;TEST_LINKS;COMMON_HEADERS" ${ARGN})
  string(REPLACE "/" "_" name ${folder})
  string(REPLACE "/" "_" uses "${M_USES}")
  string(REGEX REPLACE "/.*" "" label ${folder})
  foreach(source IN LISTS M_SOURCES)
    if(source MATCHES "_test\\.cpp$")
      message(FATAL_ERROR "${folder}/${source}: a name that ends in _test.cpp is a test, not a source: give it another one")
    endif()
  endforeach()
  list(TRANSFORM M_SOURCES PREPEND ${folder}/)
  file(GLOB headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*.h)
  file(GLOB tests CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*_test.cpp)

  set(kind STATIC)
  if(M_SHARED)
    set(kind SHARED)
  endif()
  add_library(${name} ${kind} ${M_SOURCES})
  target_sources(${name} PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR} FILES ${headers})
  set_target_properties(${name} PROPERTIES VERIFY_INTERFACE_HEADER_SETS ON)
  if(M_SHARED AND NOT SHMEM_BIND_SANITIZE)  # clang leaves the sanitizer's own symbols to the program
    target_link_options(${name} PRIVATE -Wl,--no-undefined)
  endif()
  if(M_OUTPUT_NAME)
    set_target_properties(${name} PROPERTIES OUTPUT_NAME ${M_OUTPUT_NAME})
  endif()
  target_link_libraries(${name} PUBLIC ${uses} ${M_LINKS} PRIVATE ${M_PRIVATE_LINKS} project_flags)

  # The tool reads and prints texts of a few pages: optimising it takes longer to compile than it ever saves.
  if(label STREQUAL "tool")
    target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1>)
    if(M_COMMON_HEADERS)
      use_common_headers(${name} ${name} ${M_COMMON_HEADERS})
    else()
      use_common_headers(${name} tool_base)
    endif()
  endif()

  if(BUILD_TESTING AND tests)
    add_executable(${name}_test ${tests})
    target_link_libraries(${name}_test PRIVATE ${name} ${M_TEST_LINKS} project_flags GTest::gtest_main)
    set_target_properties(${name}_test PROPERTIES UNITY_BUILD OFF)  # test files have words of their own
    use_common_headers(${name}_test tool_base_test <gtest/gtest.h>)
    gtest_discover_tests(${name}_test TEST_PREFIX "${name}." DISCOVERY_TIMEOUT 60
                         PROPERTIES LABELS "${label}")
  endif()
endfunction()
