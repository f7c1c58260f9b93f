# libclang 16, as Debian packages it. Only tool/contract/kernel_header.cpp and tool/lint/cpp_lexer.cpp see it.
find_path(libclang_include clang-c/Index.h PATHS /usr/lib/llvm-16/include NO_DEFAULT_PATH)
find_library(libclang_library clang-16 clang PATHS /usr/lib/llvm-16/lib NO_DEFAULT_PATH)
if(NOT libclang_include OR NOT libclang_library)
  message(FATAL_ERROR "libclang 16 not found: run scripts/setup.sh (package libclang-16-dev)")
endif()
add_library(libclang INTERFACE)
target_include_directories(libclang SYSTEM INTERFACE ${libclang_include})
target_link_libraries(libclang INTERFACE ${libclang_library})
