// The control data of a region, and its operations.
//
// The engine is the same for every frame. A region lives in one process, and its links are
// addresses; a shared region lives in several, and its links are offsets. All state consists of
// integers, so zeroed memory is a region that has not been started.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/extremes.hpp"
#include "os/libc.hpp"
#include "region/buffers.hpp"
#include "region/free_index.hpp"

namespace heapsmith::regions {

/// At most half the size of the largest free block is deferred, within these bounds
/// (docs/design/regions.md).
inline constexpr std::size_t deferred_min = 4 << 10, deferred_max = 2 << 20;

/// The number of blocks in a strip, which are carved at once if one size is requested repeatedly
/// (docs/design/regions.md).
inline constexpr std::size_t strip_blocks = 7;

/// The reasons for aborting, as messages about a pointer name them.
inline constexpr char foreign_pointer[] = "is not a block of this region";
inline constexpr char no_block_here[] =
    "no block starts here: it was freed before, or never was one";
inline constexpr char freed_twice[] = "freed twice";
inline constexpr char overwritten[] = "the header behind this block was overwritten";
inline constexpr char overwritten_in_front[] =
    "the free block in front of this one was written to after it was freed";
inline constexpr char overwritten_after_free[] = "this block was written to after it was freed";

/// Numbers that are known without a walk, in bytes; blocks count with their headers.
struct stats {
  std::size_t buffers, buffer_bytes, block_bytes, in_use, deferred, peak, largest_free, blocks,
      failed;
};

/// The invariants that check() verifies. It returns the first one that is broken.
enum class invariant : int {
  none,
  buffers_are_apart,           ///< they are sorted and disjoint; the current one is one of them
  headers_are_sealed,          ///< every header, up to the sentinel that ends its buffer
  neighbours_know_the_free,    ///< after_free is set behind free blocks and nowhere else
  sizes_are_repeated,          ///< in the boundary tag of every free block
  free_neighbours_are_merged,  ///< no two free blocks adjoin
  bins_hold_their_sizes,       ///< listed blocks are free and in the right bin; the map agrees
  links_lead_back,             ///< lists, rings and trees, in both directions
  trees_are_sorted,            ///< by the bits of the sizes
  free_blocks_are_listed,      ///< each once
  deferred_blocks_are_listed,  ///< each once, in the list of its size
  counters_agree,              ///< with the bytes and blocks that the walk counts
};

/// "" for none.
constexpr const char* name_of(invariant i) {
  constexpr const char* names[] = {"",
                                   "buffers_are_apart",
                                   "headers_are_sealed",
                                   "neighbours_know_the_free",
                                   "sizes_are_repeated",
                                   "free_neighbours_are_merged",
                                   "bins_hold_their_sizes",
                                   "links_lead_back",
                                   "trees_are_sorted",
                                   "free_blocks_are_listed",
                                   "deferred_blocks_are_listed",
                                   "counters_agree"};
  const auto n = static_cast<std::size_t>(i);
  return n < sizeof names / sizeof *names ? names[n] : "";
}

template <class Frame>
class engine : private free_index<Frame> {
 public:
  // The interface for programs. Functions that allocate return null if out of memory. The fast
  // paths are in region_path.hpp.

  void* allocate(std::size_t bytes);
  void* allocate_aligned(std::size_t align, std::size_t bytes);
  void deallocate(void* p);
  void* reallocate(void* p, std::size_t align, std::size_t bytes);
  bool try_resize(void* p, std::size_t bytes);
  [[nodiscard]] std::size_t usable_size(const char* call, const void* p) const;
  [[nodiscard]] bool owns(const void* p) const;
  /// Counts a failed request and sets errno. Returns: null.
  void* refuse(int error);

  [[nodiscard]] bool is_started() const { return buffers_.count() != 0; }
  /// Returns: 0, EINVAL or ENOSPC.
  int add_memory(void* memory, std::size_t bytes);
  void reset();
  void destroy();
  std::size_t defragment();
  /// From now on at most this much is deferred.
  void limit_deferred(std::size_t bytes);
  [[nodiscard]] stats measure() const;

  /// Calls visit(payload, info) for every block, in order. Returns: false if a header is broken.
  template <class Visit>
  bool for_each_block(Visit&& visit) const;
  [[nodiscard]] invariant check() const;

  /**
   * Rebuilds everything from the headers, for the heir of an owner that died during a call.
   *
   * Blocks in use stay; deferred blocks become free. Requires: Frame publishes headers in order.
   * Returns: false, with no header changed, if a chain of headers is broken.
   */
  bool rebuild();

 private:
  using base = free_index<Frame>;
  using bins = typename Frame::bins;
  using base::block_at;
  using base::info;
  using watch = typename Frame::watch;

  /// Freed blocks up to this size are deferred: quick lists keep them for requests of the same
  /// size.
  static constexpr std::size_t quick_max = bins::quick_max;

  // The slow paths of these.
  void* reuse(std::size_t i, std::size_t bytes);
  [[gnu::noinline]] void* allocate_slow(std::size_t bytes);
  [[gnu::noinline]] void deallocate_slow(block* b);
  [[gnu::noinline]] void deallocate_elsewhere(void* p);
  void* out_of_memory() { return refuse(ENOMEM); }
  block* live_block(const char* call, const void* p) const;
  void make_current(const buffer& buf);
  void change_taken(std::size_t more, std::size_t less);
  [[nodiscard]] std::size_t highest_in_use() const;

  // Finding a free block, and making a block of it.
  void* allocate_block(std::size_t bytes);
  void* allocate_block_aligned(std::size_t align, std::size_t bytes);
  std::size_t carve(block* b, std::size_t size);
  bool suits_strip(const block* b, std::size_t size);
  block* carve_strip(block* b, std::size_t size);
  [[nodiscard]] std::size_t gap_before(const block* b, std::size_t align) const;
  [[nodiscard]] bool fits(const block* b, std::size_t align, std::size_t size) const;
  [[nodiscard]] block* find_aligned(std::size_t align, std::size_t size) const;
  block* cut_gap(block* b, std::size_t gap, std::size_t size);
  void put_free(block* b, std::size_t size, bool as_designated);
  bool unlink_free(block* b, std::size_t size);

  // Freeing.
  block* free_in_front(block* b);
  std::size_t release(block* b, block_info i);
  void defer(block* b, std::size_t i, std::uint64_t header);
  bool flush(std::size_t enough = region_bins::size_end);
  void release_one_deferred();
  std::size_t release_first_of(std::size_t i);
  void release_surplus(int most);
  block* deferred_neighbour(block* b, link l, link_word block::* back);
  void unlink_deferred(block* b, std::size_t size);

  // Resizing in place, and by moving.
  bool resize_block(block* b, std::size_t bytes);
  void shrink(block* b, block_info i, std::size_t size);
  bool grow(block* b, block_info i, std::size_t size);
  void join_deferred_behind(block* b, std::size_t have, std::size_t size);
  void* move_down(block* b, std::size_t align, std::size_t bytes);
  void* move_to(void* to, block* b, std::size_t bytes);

  // Buffers.
  void start(const buffer& buf);
  void give(link from, link to, std::uint64_t flag);
  void extend_up(buffer& buf, link end);
  void extend_down(buffer& buf, link begin);
  void bridge(buffer& low, const buffer& high);
  void forget_blocks();

  // Walking.
  template <class Visit>
  bool walk(const buffer& buf, Visit&& visit) const;
  void rebuild_buffer(const buffer& buf);
  template <class>
  friend class checker;

  [[nodiscard]] std::size_t deferred_bytes() const {
    return static_cast<std::size_t>(deferred_limit_ - deferred_room_) * granule;
  }
  /// Deferred bytes are counted in granules. The number is signed, because the room may be
  /// overdrawn.
  static constexpr std::ptrdiff_t granules(std::size_t bytes) {
    return static_cast<std::ptrdiff_t>(bytes / granule);
  }
  void set_deferred_limit(std::ptrdiff_t limit);
  void adapt_deferred_limit();

  // Used by the fast path. low_ is where the payloads of the current buffer begin, and span_ how
  // many granules they are. deferred_room_ is how many more granules may be deferred, and
  // highest_room_ its highest value since taken_ changed. quick_ has the lists of deferred blocks
  // by size; the first two are always empty.
  link low_ = 0;
  link span_ = 0;
  std::ptrdiff_t deferred_room_ = 0;
  std::ptrdiff_t highest_room_ = 0;
  link_word quick_[quick_max / granule + 1] = {};

  std::ptrdiff_t deferred_limit_ = 0;    // deferred_room_ while nothing is deferred
  std::ptrdiff_t deferred_forgone_ = 0;  // by how much limit_deferred() lowered deferred_max
  std::size_t taken_ = 0;                // bytes in blocks that are in use or deferred
  std::size_t peak_ = 0;
  std::size_t blocks_ = 0;
  std::size_t failed_ = 0;
  std::size_t last_carved_ = 0;  // the size that was carved last
  std::size_t repeats_ = 0;      // how often in succession, before the last time
  std::size_t next_victim_ = 0;  // the quick list that loses a block next, if the room is used up
  buffer_table<bins::buffers_max> buffers_;
};

}  // namespace heapsmith::regions
