# Every source file of the libraries, in the order in which memory flows through them.
set(HEAPSMITH_SOURCES
  os/diagnose.cpp
  os/os_linux.cpp
  os/own_thread.cpp
  os/settings.cpp
  spans/settings.cpp
  spans/range.cpp
  spans/index.cpp
  spans/search.cpp
  spans/given.cpp
  spans/take.cpp
  spans/give.cpp
  spans/tail.cpp
  spans/release.cpp
  spans/cache.cpp
  spans/prefault.cpp
  spans/purger.cpp
  spans/accounts.cpp
  spans/direct_maps.cpp
  slabs/thread_heap.cpp
  slabs/came_back.cpp
  slabs/free_list.cpp
  slabs/slabs.cpp
  slabs/audit.cpp
  slabs/remote_free.cpp
  slabs/returned.cpp
  slabs/sweep.cpp
  threads/all_heaps.cpp
  threads/shared_heap.cpp
  threads/orphans.cpp
  threads/sub_heaps.cpp
  threads/slow_section.cpp
  threads/fork.cpp
  threads/threads.cpp
  heap/emergency.cpp
  heap/foreign.cpp
  heap/reclaim.cpp
  heap/supply.cpp
  heap/middle.cpp
  heap/filling.cpp
  heap/copying.cpp
  heap/large.cpp
  heap/blocks.cpp
  heap/resize.cpp
  heap/first_class.cpp
  heap/purge.cpp
  watch/mistakes.cpp
  watch/version.cpp
  watch/stats.cpp
  watch/print.cpp
  watch/report.cpp
  watch/on_signal.cpp
  watch/at_exit.cpp
  adapt/surface.cpp
  adapt/c_api.cpp
  adapt/heap_c_api.cpp
  adapt/no_trace_c_api.cpp)

# The sources of the libraries that run at most once in a process or thread, or around a system call,
# or for a few steps of slow paths.
set(HEAPSMITH_SELDOM_RUN_SOURCES
  os/diagnose.cpp
  os/os_linux.cpp
  os/own_thread.cpp
  os/settings.cpp
  spans/settings.cpp
  spans/range.cpp
  spans/index.cpp
  spans/search.cpp
  spans/given.cpp
  spans/release.cpp
  spans/take.cpp
  spans/give.cpp
  spans/tail.cpp
  spans/cache.cpp
  spans/prefault.cpp
  spans/purger.cpp
  spans/accounts.cpp
  spans/direct_maps.cpp
  slabs/free_list.cpp
  slabs/slabs.cpp
  slabs/remote_free.cpp
  slabs/returned.cpp
  slabs/sweep.cpp
  slabs/thread_heap.cpp
  threads/all_heaps.cpp
  threads/shared_heap.cpp
  threads/orphans.cpp
  threads/sub_heaps.cpp
  threads/slow_section.cpp
  threads/fork.cpp
  threads/threads.cpp
  heap/emergency.cpp
  heap/foreign.cpp
  heap/middle.cpp
  heap/supply.cpp
  heap/resize.cpp
  heap/filling.cpp
  heap/copying.cpp
  heap/reclaim.cpp
  heap/purge.cpp
  heap/first_class.cpp
  heap/large.cpp
  watch/mistakes.cpp
  watch/version.cpp
  watch/stats.cpp
  watch/print.cpp
  watch/report.cpp
  watch/on_signal.cpp
  watch/at_exit.cpp
  adapt/c_api.cpp
  adapt/no_trace_c_api.cpp
  adapt/surface.cpp
  adapt/override/built_on_malloc.cpp
  adapt/override/cxx_runtime.cpp
  adapt/override/deepbind.cpp
  adapt/override/foreign_libc.cpp
  adapt/override/new_handler.cpp
  adapt/override/operator_ways.cpp
  adapt/override/own_operators.cpp
  adapt/override/signals.cpp)

# Sources among these that define the hs_ functions of the heap. libheapsmith.so has them under other
# names, and exports jumps to them or to the heap that the process already has.
set(HEAPSMITH_HEAP_API_SOURCES
  adapt/c_api.cpp
  adapt/heap_c_api.cpp
  adapt/no_trace_c_api.cpp)
set(HEAPSMITH_JOIN_SOURCES
  adapt/join/join.cpp)

# Sources that replace the process's own allocator. Only the preload and the override library have
# them.
set(HEAPSMITH_OVERRIDE_SOURCES
  adapt/override/cxx_runtime.cpp
  adapt/override/foreign_libc.cpp
  adapt/override/malloc.cpp
  adapt/override/built_on_malloc.cpp
  adapt/override/new_handler.cpp
  adapt/override/operator_new.cpp
  adapt/override/operator_ways.cpp
  adapt/override/own_operators.cpp)

# What only the override library has of them: its program may have the C++ runtime linked in.
set(HEAPSMITH_LINKED_SOURCES
  adapt/override/linked_new_handler.cpp)

# What only the preloaded libraries have: functions of libc that they stand before.
set(HEAPSMITH_PRELOADED_SOURCES
  adapt/override/deepbind.cpp
  adapt/override/signals.cpp)

# The non-standard interfaces of jemalloc, gperftools' tcmalloc and mimalloc, and what they alone
# need. Only libheapsmith_dialects.so has them.
set(HEAPSMITH_DIALECT_SOURCES
  watch/classes.cpp
  adapt/dialects/owner.cpp
  adapt/dialects/delay.cpp
  adapt/dialects/jemalloc/arenas.cpp
  adapt/dialects/jemalloc/blocks.cpp
  adapt/dialects/jemalloc/figures.cpp
  adapt/dialects/jemalloc/controls_constant.cpp
  adapt/dialects/jemalloc/controls_statistics.cpp
  adapt/dialects/jemalloc/controls_arena.cpp
  adapt/dialects/jemalloc/mallctl.cpp
  adapt/dialects/jemalloc/print.cpp
  adapt/dialects/tcmalloc/extension.cpp
  adapt/dialects/tcmalloc/blocks.cpp
  adapt/dialects/mimalloc/requests.cpp
  adapt/dialects/mimalloc/blocks.cpp
  adapt/dialects/mimalloc/aligned.cpp
  adapt/dialects/mimalloc/heaps.cpp
  adapt/dialects/mimalloc/strings.cpp
  adapt/dialects/mimalloc/names_of_others.cpp
  adapt/dialects/mimalloc/process.cpp
  adapt/dialects/mimalloc/options.cpp
  adapt/dialects/mimalloc/newer.cpp)

# What exports mimalloc's names: the sources above have its functions under other names.
set(HEAPSMITH_DIALECT_ENTRY_SOURCES
  adapt/dialects/mimalloc/entries.cpp)

# What libheapsmith_trace.so has in place of sources of the same purpose, with the probes of calls on:
# the interfaces, which call the probes, and hs_trace_start.
set(HEAPSMITH_TRACED_SOURCES
  adapt/surface.cpp
  adapt/c_api.cpp
  adapt/heap_c_api.cpp
  adapt/trace_c_api.cpp)

# What records calls into files. The recorder of the lab has these, too.
set(HEAPSMITH_RECORD_SOURCES
  record/blocks.cpp
  record/clocks.cpp
  record/confine.cpp
  record/directory.cpp
  record/fork.cpp
  record/modules.cpp
  record/new_file.cpp
  record/notes.cpp
  record/pool.cpp
  record/reserve.cpp
  record/resident.cpp
  record/stack.cpp
  record/file.cpp
  record/stream.cpp
  record/calls.cpp)

# An OS that fails on demand, over os_linux.cpp. Only tests/fault uses it.
set(HEAPSMITH_FAKE_OS_SOURCES os/os_fake.cpp)

# The sources of a free-standing build (docs/embedded.md): regions over memory and of numbers.
set(HEAPSMITH_FREESTANDING_SOURCES
  os/os_bare.cpp
  adapt/region_c_api.cpp
  adapt/small_region_c_api.cpp
  region/offset_engine.cpp
  region/offset_audit.cpp
  adapt/offset_region_c_api.cpp)

# Regions. Only libheapsmith.so and libheapsmith.a contain them.
set(HEAPSMITH_REGION_SOURCES
  adapt/region_c_api.cpp
  adapt/small_region_c_api.cpp
  region/offset_engine.cpp
  region/offset_audit.cpp
  adapt/offset_region_c_api.cpp)

# Regions that need the robust mutexes of POSIX, and futexes.
set(HEAPSMITH_SHARED_REGION_SOURCES
  os/shared_wait.cpp
  region/robust_lock.cpp
  region/shared_segment.cpp
  adapt/shared_region_c_api.cpp)

# What regions need of the operating system. On Linux, the heap has these sources, too.
set(HEAPSMITH_LINUX_REGION_SOURCES
  os/diagnose.cpp
  os/os_linux.cpp)
set(HEAPSMITH_WINDOWS_SOURCES
  os/diagnose.cpp
  os/windows/report.cpp)
