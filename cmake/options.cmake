set(SHMEM_BIND_TORCH AUTO CACHE STRING "Build what needs torch: ON, OFF or AUTO")
set_property(CACHE SHMEM_BIND_TORCH PROPERTY STRINGS ON OFF AUTO)
set(SHMEM_BIND_SANITIZE "" CACHE STRING "Value for -fsanitize=, empty for none")
option(SHMEM_BIND_WARNINGS_AS_ERRORS "Warnings are errors" OFF)

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_BUILD_RPATH_USE_ORIGIN ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)

find_package(Python3 REQUIRED COMPONENTS Interpreter)
find_package(Threads REQUIRED)
if(BUILD_TESTING)
  find_package(GTest REQUIRED)
  include(GoogleTest)
endif()

# Flags for our own code only: always linked PRIVATE, so no user of a library inherits them.
add_library(project_flags INTERFACE)
target_compile_options(project_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")  # g++ 12 warns of std::string's own code at -O3
  target_compile_options(project_flags INTERFACE -Wno-restrict)
endif()
if(SHMEM_BIND_WARNINGS_AS_ERRORS)
  target_compile_options(project_flags INTERFACE -Werror)
endif()
if(SHMEM_BIND_SANITIZE)  # an if, not a generator expression: the value holds commas
  target_compile_options(project_flags INTERFACE -fsanitize=${SHMEM_BIND_SANITIZE} -fno-omit-frame-pointer)
  target_link_options(project_flags INTERFACE -fsanitize=${SHMEM_BIND_SANITIZE})
endif()
