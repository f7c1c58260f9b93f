# Fuzz targets (libFuzzer): cmake --preset fuzz && cmake --build --preset fuzz, then
#   out/fuzz/fuzz_contract_reader tests/fuzz/corpus/contract_reader -max_total_time=600
#   out/fuzz/fuzz_shared_regions  tests/fuzz/corpus/shared_regions -max_total_time=600
option(SHMEM_BIND_FUZZ "Build the fuzz targets; needs clang" OFF)
if(NOT SHMEM_BIND_FUZZ)
  return()
endif()
foreach(name contract_reader shared_regions)
  add_executable(fuzz_${name} tests/fuzz/${name}.cpp)
  target_link_libraries(fuzz_${name} PRIVATE tool_binding project_flags)
  target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
endforeach()
