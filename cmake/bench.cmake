# bench/latency, built on demand by bench/run.py: cmake --build out/release --target latency
if(TARGET sim_core)
  add_executable(latency EXCLUDE_FROM_ALL bench/latency.cpp)
  target_link_libraries(latency PRIVATE sim_core sim_ascendc fmt::fmt project_flags)
  set_target_properties(latency PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bench)
endif()
