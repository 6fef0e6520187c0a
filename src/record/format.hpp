// The bytes of a raw trace, as docs/trace-format.md describes them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/atomic.hpp"

namespace heapsmith::recorder {

inline constexpr std::size_t block_bytes = 64 * 1024;
inline constexpr unsigned tick_shift = 6;  // a tick is 64 counts of the processor's clock
inline constexpr unsigned caller_slots = 256;
inline constexpr unsigned size_slots = 256;
inline constexpr unsigned most_frames = 512;
inline constexpr std::uintptr_t cut_frame = 1;  // behind them, if the stack has more
inline constexpr unsigned ticks_follow = 7;
inline constexpr unsigned expected_flag = 0x80;

/// The low four bits of the first byte of an event. The next three bits are the ticks since the
/// thread's last event in this block, or ticks_follow if a number behind them has the ticks. The
/// highest bit is expected_flag: the slot of the caller is not written.
enum class op : std::uint8_t {
  malloc,
  free,
  calloc,
  realloc,
  new_one,
  delete_one,
  delete_sized,
  other_allocation,
  new_array,
  delete_array,
  usable_size,
  failed,
  free_null,
  control = 15,
};

/// The high four bits of a byte with op::control. Most of these records have no time.
enum class control : std::uint8_t {
  caller = 1,
  stack,
  thread,
  resident,
  start,   // of a thread, by the one that starts it; with a time
  memory,  // of the process
  end,     // of the thread; with a time
};

/// Which function an event of other_allocation or failed means.
enum class api : std::uint8_t {
  malloc,
  calloc,
  realloc,
  new_one,
  new_array,
  new_nothrow,
  new_array_nothrow,
  new_aligned,
  new_array_aligned,
  aligned_alloc,
  posix_memalign,
  memalign,
  valloc,
  pvalloc,
};

/// Whether the recorder was attached to a running process, and how live_bytes was found. Files that
/// were written before these fields existed have zeros there.
enum class live_known : std::uint32_t {
  not_attached,
  by_allocator,
  as_resident,  // the anonymous memory of the process stands for it
};

/// The first block of a file. One process writes a file, from its start or from a fork until it
/// ends or calls exec.
struct file_header {
  char magic[8];  // "HSRAWTRC"
  std::uint32_t version;
  std::uint32_t bytes_a_block;
  std::uint32_t bytes_a_page;
  std::uint32_t shift;  // tick_shift
  std::uint32_t pid;
  std::uint32_t parent_pid;
  std::uint64_t first_tick, first_ns;   // the clocks when recording began: ticks, CLOCK_MONOTONIC
  std::uint64_t last_tick, last_ns;     // and when they were read last
  std::uint64_t fork_tick;              // when the parent forked this process, or 0
  atomic<std::uint32_t> blocks;         // claimed, with this one
  atomic<std::uint32_t> threads;        // numbered
  atomic<std::uint64_t> dropped;        // events that found no block
  atomic<std::uint32_t> drop_errno;     // why the last of them did not
  atomic<std::uint32_t> lost_children;  // forked processes that could make no file
  std::uint32_t command_bytes;
  char parent_file[256];  // the file of the process that forked this one, or ""
  char executable[4096];
  char command[16384];       // the arguments, each with a zero behind it
  std::uint64_t live_bytes;  // in use when the recorder was attached
  live_known attached;
  atomic<std::uint32_t> is_packed;               // by the command: nobody reads what comes later
  atomic<std::uint32_t> confined;                // a confinement
  atomic<std::uint32_t> plain_notes, odd_notes;  // that were begun, from each kind's first place on
  atomic<std::uint32_t> homes;                   // blocks that threads began to write into
  std::uint64_t maps_bytes;  // of a segment: its list of modules, at maps_at in the segment
  std::uint64_t maps_at;
  std::uint64_t stopped_tick;  // since then, ticks are made up, if it is not 0: see clock.hpp
};
static_assert(offsetof(file_header, live_bytes) == 20840);
static_assert(offsetof(file_header, maps_bytes) == 20872);
static_assert(offsetof(file_header, stopped_tick) == 20888);
inline constexpr char file_magic[9] = "HSRAWTRC";
inline constexpr std::uint32_t file_version = 2;

/// A process that this one forked, or that became another program by `exec`, and may have no file.
/// Notes on it lie behind the header, in the first block.
enum class lack : std::uint32_t {
  unknown,      // if it has no file, nobody knows why
  is_static,    // it loads no libraries
  is_secure,    // it changes its user: the linker preloads nothing
  no_preload,   // LD_PRELOAD was taken out of its environment
  is_foreign,   // a program of another machine
  is_confined,  // of a process that is
  no_library,   // the recorder's library does not lie in its root
  no_file,      // it was forked, and could make no file
  is_musl,      // a program of musl: it starts without the recorder, or not at all
};
struct process_note {
  atomic<std::uint32_t> is_there;
  std::uint32_t pid;  // 0: not known
  std::uint64_t tick;
  lack why;
  std::uint32_t error;  // an errno, or 0
  char program[232];
};
static_assert(sizeof(process_note) == 256);
inline constexpr std::size_t notes_at = 24 * 1024;
inline constexpr unsigned plain_places = 64;  // of unknown: the newest; all others: the first ones
inline constexpr unsigned odd_places = 96;
static_assert(sizeof(file_header) <= notes_at);
static_assert(notes_at + (plain_places + odd_places) * sizeof(process_note) == block_bytes);

/// drop_errno of a process whose reserve is used up, and that must not ask the kernel for more.
inline constexpr std::uint32_t error_behind_filter = 10'000;

/// A file for processes that can make none: segments, each of which is as a file. It begins so.
struct pool_header {
  atomic<std::uint64_t> magic;  // pool_magic, once the rest is there
  std::uint64_t segment_bytes;  // segment i lies at (i + 1) * segment_bytes
  std::uint32_t segments;
  atomic<std::uint32_t> taken;
};
inline constexpr std::uint64_t pool_magic = 0x314C4F4F50534800;  // "\0HSPOOL1"
inline constexpr char pool_name[] = "confined.pool";
inline constexpr std::size_t most_maps_bytes = 256 * 1024;  // at the end of a segment

/// Block i of a file lies at i * block_bytes. Its events begin behind this header. A thread fills
/// one block again and again; each time, a copy is appended to the file.
struct block_header {
  std::uint32_t magic;         // block_magic
  std::uint32_t index;         // of the block that the events were written into: of a copy, another
  atomic<std::uint32_t> used;  // bytes, with this header; current after each event
  atomic<std::uint32_t> is_closed;
  std::uint64_t checksum;  // of the bytes behind the header up to `used`, once the block is closed
  std::uint64_t copies;    // that were made of block `index` before
};
inline constexpr std::uint32_t block_magic = 0x4B4C4253;  // "SBLK"

/// Returns: the checksum of `bytes` bytes, which is a sum of 64-bit words (the last one filled up
/// with zeros), multiplied and rotated at each.
inline std::uint64_t checksum_of(const unsigned char* from, std::size_t bytes) {
  std::uint64_t sum = bytes;
  for (std::size_t i = 0; i < bytes; i += 8) {
    std::uint64_t word = 0;
    __builtin_memcpy(&word, from + i, bytes - i < 8 ? bytes - i : 8);
    sum = (sum ^ word) * 0x9E3779B97F4A7C15u;
    sum = sum << 29 | sum >> 35;
  }
  return sum;
}

}  // namespace heapsmith::recorder
