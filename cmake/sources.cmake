# Every source file of the libraries, in the order in which memory flows through them.
set(HEAPSMITH_SOURCES
  os/diagnose.cpp
  os/os_linux.cpp
  spans/settings.cpp
  spans/range.cpp
  spans/spans.cpp
  spans/cache.cpp
  spans/accounts.cpp
  heap/slabs.cpp
  heap/supply.cpp
  heap/sweep.cpp
  heap/blocks.cpp
  heap/large.cpp
  heap/direct_map.cpp
  heap/resize.cpp
  heap/remote_free.cpp
  heap/orphans.cpp
  heap/threads.cpp
  heap/sub_heaps.cpp
  heap/audit.cpp
  heap/reclaim.cpp
  heap/purge.cpp
  heap/fork.cpp
  heap/emergency.cpp
  heap/foreign.cpp
  watch/environment.cpp
  watch/metrics.cpp
  watch/print.cpp
  watch/at_exit.cpp
  adapt/surface.cpp
  adapt/c_api.cpp
  adapt/heap_c_api.cpp)

# The sources among these that run at most once in a process or thread, or around a system call.
set(HEAPSMITH_SELDOM_RUN_SOURCES
  os/diagnose.cpp
  os/os_linux.cpp
  spans/settings.cpp
  spans/range.cpp
  spans/cache.cpp
  spans/accounts.cpp
  heap/direct_map.cpp
  heap/threads.cpp
  heap/orphans.cpp
  heap/emergency.cpp
  heap/fork.cpp
  heap/sub_heaps.cpp
  watch/environment.cpp
  watch/metrics.cpp
  watch/print.cpp
  watch/at_exit.cpp)

# Sources that replace the process's own allocator. Only the preload and the override library have
# them.
set(HEAPSMITH_OVERRIDE_SOURCES
  adapt/override/foreign_libc.cpp
  adapt/override/malloc.cpp
  adapt/override/new_handler.cpp
  adapt/override/operator_new.cpp)

# An OS that fails on demand, over os_linux.cpp. Only tests/fault uses it.
set(HEAPSMITH_FAKE_OS_SOURCES os/os_fake.cpp)

# Regions. Only libheapsmith.so and libheapsmith.a contain them.
set(HEAPSMITH_REGION_SOURCES
  adapt/region_c_api.cpp
  region/offset_engine.cpp
  region/offset_audit.cpp
  region/shared_segment.cpp
  adapt/offset_region_c_api.cpp
  adapt/shared_region_c_api.cpp)
