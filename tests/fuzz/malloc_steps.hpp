// The steps that all families of malloc share, and what they must and must not do.
#pragma once

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include <algorithm>
#include <utility>

#include "model.hpp"
#include "tape.hpp"

namespace heapsmith::fuzz {

/**
 * Steps over a Family: the calls malloc, calloc, aligned_alloc, realloc, aligned_realloc,
 * try_expand and free, of a block or of nullptr; its model(), which has the blocks; bytes(tape), a
 * size to ask for; most_alignment_shift; shrinks_in_place, whether every block can be made shorter
 * where it is; is_full(); and expect_refusal(bytes, align), which aborts unless the
 * request that just failed could not have been served.
 */
template <class Family>
class malloc_steps {
 public:
  malloc_steps(tape& t, Family& family) : tape_(t), family_(family) {}

  /// How many of the choices of step() are steps common to all families.
  static constexpr unsigned choices = 51;

  /// Takes the step with number `choice`. Returns: false if there is no such step. Runs have up to
  /// `most` blocks of up to `most_bytes`.
  bool step(unsigned choice, std::size_t most, std::size_t most_bytes) {
    if (choice < 14)
      allocate();
    else if (choice < 18)
      allocate_aligned();
    else if (choice < 20)
      allocate_zeroed();
    else if (choice < 23)
      allocate_run(most, most_bytes);
    else if (choice < 37)
      free_one();
    else if (choice < 39)
      free_run();
    else if (choice < 44)
      resize();
    else if (choice < 46)
      resize_aligned();
    else if (choice < choices)
      expand();
    return choice < choices;
  }

  void free_all() {
    while (count() != 0) free_at(count() - 1);
  }

  /// Requests for sizes near the end of the address space fail, and change nothing.
  void ask_the_impossible() {
    volatile std::size_t huge =
        SIZE_MAX - tape_.below(SIZE_MAX) * (tape_.byte() % 2 == 0 ? 1 : 65536);
    volatile std::size_t half = SIZE_MAX / 2 + 2;
    const auto is_refused = [](void* p, int why) {
      return p == nullptr && std::exchange(errno, 0) == why;
    };
    errno = 0;
    HS_MUST(is_refused(family_.malloc(huge), ENOMEM));
    HS_MUST(is_refused(family_.calloc(half, 2), ENOMEM));
    HS_MUST(is_refused(family_.aligned_alloc(48, 100), EINVAL));
    if (count() == 0) return;
    const block& b = family_.model().look(tape_.below(count()));
    HS_MUST(is_refused(family_.realloc(b.p, huge), ENOMEM));
    HS_MUST(!family_.try_expand(b.p, huge));
    model::check(b);
  }

  /// Allocates a block of the size that a region returned as the largest possible, unless it is 0.
  void fill(std::size_t largest) {
    if (largest == 0) return;
    errno = 0;
    HS_MUST(family_.malloc(largest + 1) == nullptr && errno == ENOMEM);
    void* p = family_.malloc(largest);
    HS_MUST(p != nullptr);
    family_.model().add(p, largest, 16);
    free_at(count() - 1);
  }

  void keep(void* p, std::size_t bytes, std::size_t align) {
    if (p != nullptr) return family_.model().add(p, bytes, align);
    family_.expect_refusal(bytes, align);
  }

 private:
  void allocate() {
    if (family_.is_full()) return;
    const std::size_t bytes = some_bytes();
    errno = 0;
    keep(tape_.byte() % 8 == 0 ? family_.realloc(nullptr, bytes) : family_.malloc(bytes), bytes,
         16);
  }

  void allocate_aligned() {
    if (family_.is_full()) return;
    const std::size_t align = some_alignment(), bytes = some_bytes();
    errno = 0;
    keep(family_.aligned_alloc(align, bytes), bytes, align);
  }

  void allocate_zeroed() {
    if (family_.is_full()) return;
    const std::size_t count = 1 + tape_.byte() % 8, each = 1 + some_bytes() / count;
    errno = 0;
    auto* p = static_cast<unsigned char*>(family_.calloc(count, each));
    if (p != nullptr) HS_MUST(p[0] == 0 && memcmp(p, p + 1, count * each - 1) == 0);
    keep(p, count * each, 16);
  }

  /// Allocates up to `most` blocks of one size, as containers do.
  void allocate_run(std::size_t most, std::size_t most_bytes) {
    const std::size_t bytes = 1 + some_bytes() % most_bytes;
    for (std::size_t n = tape_.below(most); n > 0 && !family_.is_full(); --n) {
      errno = 0;
      keep(family_.malloc(bytes), bytes, 16);
    }
  }

  void free_one() {
    if (count() != 0) free_at(tape_.below(count()));
    family_.free(nullptr);
  }

  /// Frees many of the latest blocks.
  void free_run() {
    for (std::size_t n = tape_.byte(); n > 0 && count() != 0; --n)
      free_at(count() - 1 - tape_.byte() % std::min<std::size_t>(count(), 4));
  }

  void resize() {
    if (count() == 0) return;
    const block b = take_one();
    const std::size_t bytes = some_bytes();
    errno = 0;
    void* p = family_.realloc(b.p, bytes);
    if (Family::shrinks_in_place) HS_MUST(bytes > b.bytes || p == b.p);
    finish_resizing(b, p, bytes, p == b.p ? b.align : 16);
  }

  void resize_aligned() {
    if (count() == 0) return;
    const block b = take_one();
    const std::size_t align = some_alignment(), bytes = some_bytes();
    errno = 0;
    finish_resizing(b, family_.aligned_realloc(b.p, align, bytes), bytes, align);
  }

  void expand() {
    if (count() == 0) return;
    const block b = take_one();
    const std::size_t bytes = (Family::shrinks_in_place ? 0 : b.bytes) + some_bytes();
    const bool done = family_.try_expand(b.p, bytes);
    if (Family::shrinks_in_place) HS_MUST(done || bytes > b.bytes);
    model::check_first(b, bytes);
    family_.model().add(b.p, done ? bytes : b.bytes, b.align);
  }

  [[nodiscard]] std::size_t count() { return family_.model().count(); }
  std::size_t some_bytes() { return std::max<std::size_t>(family_.bytes(tape_), 1); }
  std::size_t some_alignment() {
    return std::size_t{1} << tape_.byte() % (Family::most_alignment_shift + 1);
  }
  block take_one() { return family_.model().remove(tape_.below(count())); }
  void free_at(std::size_t index) { family_.free(family_.model().remove(index)); }

  void finish_resizing(block b, void* p, std::size_t bytes, std::size_t align) {
    if (p == nullptr) {
      const int error = errno;
      model::check(b);
      family_.model().add(b.p, b.bytes, b.align);
      errno = error;
      return family_.expect_refusal(bytes, align);
    }
    b.p = static_cast<unsigned char*>(p);
    model::check_first(b, bytes);
    family_.model().add(p, bytes, align);
  }

  tape& tape_;
  Family& family_;
};

}  // namespace heapsmith::fuzz
