// The steps of an offset region: calls of the C API, and what they must and must not do.
#include <errno.h>
#include <string.h>

#include <algorithm>

#include "model.hpp"
#include "offset_model.hpp"
#include "steps.hpp"
#include "tape.hpp"

namespace heapsmith::fuzz {
namespace {

constexpr std::size_t most_blocks = 400;
constexpr std::size_t table_words = 16384;
constexpr std::uint64_t outside = 0xa5a5a5a5a5a5a5a5;
constexpr hs_offset_block none = {0, 0, 0};

class offset_stepper {
 public:
  explicit offset_stepper(tape t) : tape_(t) { std::fill(table_, table_ + table_words, outside); }

  void run() {
    start();
    while (!tape_.is_empty()) {
      step();
      if (is_started_) model_.check();
    }
    if (!is_started_) return;
    while (model_.count() != 0) free_at(model_.count() - 1);
    model_.check();
    HS_MUST(model_.stats().largest_free_bytes == model_.size());
    end();
  }

 private:
  void step() {
    const unsigned choice = tape_.byte() % 64;
    if (choice < 20)
      allocate(some_bytes(), 1);
    else if (choice < 26)
      allocate(some_bytes(), std::uint64_t{1} << tape_.byte() % 64);
    else if (choice < 29)
      allocate_run();
    else if (choice < 44)
      free_one();
    else if (choice < 46)
      free_run();
    else if (choice < 54)
      expand();
    else if (choice < 57)
      show_a_stale_block();
    else if (choice < 59)
      add_table();
    else if (choice < 61)
      grow();
    else if (choice < 62)
      ask_the_impossible();
    else if (choice < 63)
      reset();
    else
      start_over();
  }

  /// A number of any number of bits, or one near the size of the region.
  std::uint64_t any_number() {
    std::uint64_t number = 0;
    for (int i = 0; i < 4; ++i) number = number << 16 | tape_.below(65536);
    return number >> tape_.byte() % 64;
  }
  std::uint64_t some_bytes() {
    const std::uint64_t most = model_.size() >> tape_.byte() % 16;
    return most == 0 ? 0 : any_number() % (most + 1);
  }

  void start() {
    while (!is_started_ && !tape_.is_empty()) {
      const std::uint64_t size = any_number(), granularity = std::uint64_t{1} << tape_.byte() % 34;
      const std::size_t bytes = tape_.below(2048) * 4;
      const int refused = hs_offset_region_init(&region_, size, granularity, table_ + 1, bytes);
      const bool is_possible = granularity <= std::uint64_t{1} << 31 && size >= granularity &&
                               size <= INT64_MAX && bytes >= 2 * HS_OFFSET_REGION_NODE_BYTES;
      HS_MUST(refused == (is_possible ? 0 : EINVAL));
      if (!is_possible) continue;
      is_started_ = true;
      table_end_ = 1 + bytes / 8;
      model_.start(size, granularity);
      HS_MUST(hs_offset_region_init(&region_, size, granularity, table_, bytes) == EBUSY);
    }
  }

  void allocate(std::uint64_t asked, std::uint64_t align) {
    if (model_.count() >= most_blocks) return;
    const std::uint64_t effective = std::max(align, model_.granularity());
    const std::uint64_t best = model_.smallest_gap(model_.rounded(asked), effective);
    errno = 0;
    const hs_offset_block b = hs_offset_region_allocate(&region_, asked, align);
    if (b.node == 0) return check_refusal(best);
    HS_MUST(best != 0);
    // Of gaps below 1024 units the region takes the smallest, unless the block must be aligned.
    if (align <= model_.granularity() && best / model_.granularity() < 1024)
      HS_MUST(model_.gap_around(b.offset) == best);
    model_.add(b, asked, align);
  }

  /// Checks that no gap holds the request, or that the table lacks nodes for the rest of the gap.
  void check_refusal(std::uint64_t best) {
    const hs_offset_region_statistics s = model_.stats();
    if (errno == ENOMEM)
      HS_MUST(best == 0);
    else
      HS_MUST(errno == ENOBUFS && best != 0 && s.nodes_in_use + 2 > s.nodes);
  }

  void allocate_run() {
    const std::uint64_t bytes = some_bytes() >> 8;
    for (std::size_t n = tape_.byte() % 64; n > 0; --n) allocate(bytes, 1);
  }

  void free_at(std::size_t index) {
    const hs_offset_block b = model_.remove(index).handle;
    HS_MUST(hs_offset_region_owns(&region_, b) == 1);
    hs_offset_region_deallocate(&region_, b);
    HS_MUST(hs_offset_region_owns(&region_, b) == 0);
    stale_ = b;
  }

  void free_one() {
    if (model_.count() != 0) free_at(tape_.below(model_.count()));
    hs_offset_region_deallocate(&region_, none);
  }

  void free_run() {
    for (std::size_t n = tape_.byte(); n > 0 && model_.count() != 0; --n)
      free_at(model_.count() - 1 - tape_.byte() % std::min<std::size_t>(model_.count(), 4));
  }

  void expand() {
    if (model_.count() == 0) return;
    const offset_live b = model_.look(tape_.below(model_.count()));
    const std::uint64_t asked = some_bytes(), bytes = model_.rounded(asked);
    const bool fits = bytes <= b.bytes || bytes - b.bytes <= model_.room_behind(b);
    const hs_offset_region_statistics s = model_.stats();
    const int refused = hs_offset_region_try_expand(&region_, b.handle, asked);
    const bool lacks_a_node = bytes < b.bytes && s.nodes_in_use == s.nodes;
    HS_MUST(refused == 0 || refused == (fits ? ENOBUFS : ENOMEM));
    HS_MUST(fits || refused != 0);
    HS_MUST(refused != ENOBUFS || lacks_a_node);
    if (refused != 0) return;
    for (std::size_t i = 0; i < model_.count(); ++i)
      if (model_.look(i).handle.node == b.handle.node) {
        static_cast<void>(model_.remove(i));
        return model_.add(b.handle, asked, 1);
      }
  }

  /// Passes the block that was freed last, and one that never existed, to the region.
  void show_a_stale_block() {
    HS_MUST(hs_offset_region_owns(&region_, stale_) == 0);
    if (model_.count() == 0) return;
    hs_offset_block b = model_.look(tape_.below(model_.count())).handle;
    (tape_.byte() % 2 == 0 ? b.generation : b.node) += 1 + tape_.byte();
    bool is_another = false;
    for (std::size_t i = 0; i < model_.count(); ++i) {
      const hs_offset_block& other = model_.look(i).handle;
      is_another |= other.node == b.node && other.generation == b.generation;
    }
    HS_MUST(is_another || hs_offset_region_owns(&region_, b) == 0);
  }

  void add_table() {
    const std::size_t bytes =
        std::min(tape_.below(512) * 4, (table_words - 1 - table_end_) * sizeof(std::uint64_t));
    const std::size_t before = model_.stats().nodes;
    const int refused = hs_offset_region_add_table(&region_, table_ + table_end_, bytes);
    HS_MUST(refused == 0 || (refused == EINVAL && bytes < HS_OFFSET_REGION_NODE_BYTES) ||
            refused == ENOSPC);
    if (refused != 0) return;
    table_end_ += bytes / 8;
    HS_MUST(model_.stats().nodes > before);
  }

  void grow() {
    const std::uint64_t size = model_.size() + (any_number() >> tape_.byte() % 64);
    const bool is_less = size < model_.size() || size > INT64_MAX;
    const int refused = hs_offset_region_grow(&region_, size);
    const hs_offset_region_statistics s = model_.stats();
    HS_MUST(refused == (is_less ? EINVAL : 0) || (refused == ENOBUFS && s.nodes_in_use == s.nodes));
    if (refused == 0) model_.grow(size);
  }

  void ask_the_impossible() {
    const auto is_refused = [&](std::uint64_t bytes, std::uint64_t align, int why) {
      errno = 0;
      return hs_offset_region_allocate(&region_, bytes, align).node == 0 && errno == why;
    };
    HS_MUST(is_refused(model_.size() + 1, 1, ENOMEM));
    HS_MUST(is_refused(UINT64_MAX - tape_.byte(), std::uint64_t{1} << tape_.byte() % 64, ENOMEM));
    HS_MUST(is_refused(1, 48, EINVAL) && is_refused(1, 0, EINVAL));
    if (model_.count() == 0) return;
    const offset_live& b = model_.look(tape_.below(model_.count()));
    HS_MUST(hs_offset_region_try_expand(&region_, b.handle, UINT64_MAX - tape_.byte()) == ENOMEM);
  }

  void reset() {
    hs_offset_region_reset(&region_);
    if (model_.count() != 0) stale_ = model_.look(0).handle;
    model_.forget_blocks();
  }

  /// Checks that nothing but the table was written.
  void end() {
    hs_offset_region_destroy(&region_);
    HS_MUST(table_[0] == outside);
    for (std::size_t i = table_end_; i < table_words; ++i) HS_MUST(table_[i] == outside);
    std::fill(table_, table_ + table_words, outside);
    model_.forget_blocks();
    stale_ = none;
    is_started_ = false;
  }

  void start_over() {
    end();
    start();
  }

  static inline std::uint64_t table_[table_words];

  tape tape_;
  hs_offset_region region_ = {};
  offset_model model_{&region_};
  hs_offset_block stale_ = none;
  std::size_t table_end_ = 1;  // behind the words of the table
  bool is_started_ = false;
};

}  // namespace

void run(const std::uint8_t* bytes, std::size_t length) {
  offset_stepper(tape(bytes, length)).run();
}

}  // namespace heapsmith::fuzz
