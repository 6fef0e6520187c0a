// The plan of a replay, as `heapsmith replay` writes it: lab/trace/src/plan has the same numbers.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heapsmith::replayer {

inline constexpr char plan_magic[9] = "HSREPLAY";
inline constexpr std::uint32_t plan_version = 4;
inline constexpr std::size_t piece_bytes = 16 * 1024;

struct plan_header {
  char magic[8];
  std::uint32_t version;
  std::uint32_t threads;  // numbered from 1
  std::uint32_t samples;
  std::uint32_t first_thread;
  std::uint64_t slots;
  std::uint64_t largest;  // block, in bytes
  std::uint32_t uses_operators;
  std::uint32_t treatments;
  std::uint64_t calls;
  std::uint64_t inherited;  // so many calls of the first thread come before the others
  // Behind it a word for each thread, from 0: where its first piece lies; bit 0: it stays.
  // Then the treatments: those of families.hpp.
};
static_assert(sizeof(plan_header) == 64);

/// The low four bits of a call's first byte.
enum class op : std::uint8_t {
  end_of_piece,
  malloc,
  calloc,
  new_one,
  new_array,
  aligned,
  realloc,
  free,
  delete_one,
  delete_array,
  delete_sized,
  usable_size,
  free_null,
  start_thread,  // with waits_flag: wait until it has ended
  window,
  sample,
};
inline constexpr unsigned touched_flag = 0x10;
inline constexpr unsigned waits_flag = 0x20;
/// With malloc, calloc and free: a family of heapsmith has the block, and a number says which
/// treatment.
inline constexpr unsigned family_flag = 0x40;

/// The calls of one thread, piece by piece.
class stream {
 public:
  /// Effects: reads the first piece, which lies at `offset` of the file.
  void begin(int file, std::uint64_t offset);
  /// Effects: reads the next piece. Returns: whether there is one.
  bool next_piece();

  bool is_at_end_of_piece() const { return (*at_ & 15) == 0; }
  unsigned byte() { return *at_++; }
  std::uint64_t number() {
    std::uint64_t n = *at_++;
    if (n < 128) [[likely]]
      return n;
    n &= 127;
    for (unsigned shift = 7;; shift += 7) {  // ten bytes at most
      const std::uint64_t b = *at_++;
      n |= (b & 127) << shift;
      if (b < 128 || shift > 56) return n;
    }
  }

 private:
  void read(std::uint64_t offset);

  const unsigned char* at_;
  int file_;
  alignas(64) unsigned char piece_[piece_bytes];
};

}  // namespace heapsmith::replayer
