// A shared region as a family of malloc: one segment, mapped twice, as two processes would have it.
#pragma once

#include <errno.h>

#include "heapsmith/shared_region.h"
#include "region/shared_mapping.hpp"
#include "region_model.hpp"

namespace heapsmith::fuzz {

/// How much memory a segment may have, and its bytes before a region is made in it.
inline constexpr std::size_t memory_bytes = std::size_t{512} << 10;
inline constexpr unsigned char outside = 0xa5;

/// Two views of a segment, which make the calls in turn. The model uses addresses of the first
/// mapping.
class shared_family final : public questions {
 public:
  static constexpr unsigned most_alignment_shift = 20;
  static constexpr bool shrinks_in_place = true;

  void* malloc(std::size_t n) { return first(hs_shared_region_malloc(next(), n)); }
  void* calloc(std::size_t count, std::size_t n) {
    return first(hs_shared_region_calloc(next(), count, n));
  }
  void* aligned_alloc(std::size_t align, std::size_t n) {
    return first(hs_shared_region_aligned_alloc(next(), align, n));
  }
  void* realloc(void* p, std::size_t n) {
    const hs_shared_region* view = next();
    return first(hs_shared_region_realloc(view, there(p), n));
  }
  void* aligned_realloc(void* p, std::size_t align, std::size_t n) {
    const hs_shared_region* view = next();
    return first(hs_shared_region_aligned_realloc(view, there(p), align, n));
  }
  bool try_expand(void* p, std::size_t n) {
    const hs_shared_region* view = next();
    return hs_shared_region_try_expand(view, there(p), n) == 0;
  }
  void free(std::nullptr_t) { HS_MUST(hs_shared_region_free(next(), nullptr) == 0); }
  void free(const block& b) {
    const hs_shared_region* view = next();
    if (b.mark % 8 == 0)
      HS_MUST(hs_shared_region_realloc(view, there(b.p), 0) == nullptr);
    else
      HS_MUST(hs_shared_region_free(view, there(b.p)) == 0);
  }

  [[nodiscard]] std::size_t usable_size(const void* p) const override {
    return hs_shared_region_usable_size(&views_[0], p);
  }
  [[nodiscard]] bool owns(const void* p) const override {
    return hs_shared_region_owns(&views_[0], p) != 0;
  }
  [[nodiscard]] int check() const override { return hs_shared_region_check(&views_[1]); }
  [[nodiscard]] hs_region_statistics stats() const override {
    hs_region_statistics s;
    s.size = sizeof s;
    HS_MUST(hs_shared_region_stats(&views_[0], &s) == 0);
    return s;
  }
  void for_each_block(void (*visit)(void*, const hs_region_block*), void* context) const override {
    HS_MUST(hs_shared_region_for_each_block(&views_[0], visit, context) == 0);
  }

  static std::size_t bytes(tape& t) { return region_bytes(t); }
  [[nodiscard]] bool is_full() const { return model_.count() >= most_blocks; }
  void expect_refusal(std::size_t bytes, std::size_t align) const {
    HS_MUST(errno == ENOMEM);
    model_.check_refusal(bytes, align);
  }
  region_model& model() { return model_; }

  /// The view that makes the next call.
  hs_shared_region* next() { return &views_[turn_ ^= 1]; }
  /// The view that made the last call.
  hs_shared_region* last() { return &views_[turn_]; }
  [[nodiscard]] unsigned char* memory(unsigned view) const {
    return static_cast<unsigned char*>(mappings_[view].at());
  }
  [[nodiscard]] unsigned char* memory_of_last() const { return memory(turn_); }

  /// Converts an address in the first mapping to one in the last caller's mapping, and back.
  void* there(void* p) { return p == nullptr ? p : moved(p, 0, turn_); }
  void* first(void* p) { return p == nullptr ? p : moved(p, turn_, 0); }

 private:
  [[nodiscard]] void* moved(void* p, unsigned from, unsigned to) const {
    return memory(to) + (static_cast<unsigned char*>(p) - memory(from));
  }

  static constexpr std::size_t most_blocks = 400;

  static inline const test::shared_memory memory_{memory_bytes};
  static inline const test::mapping mappings_[2] = {
      test::mapping(memory_, std::size_t{1} << most_alignment_shift),
      test::mapping(memory_, std::size_t{1} << most_alignment_shift)};
  hs_shared_region views_[2] = {};
  unsigned turn_ = 0;
  region_model model_{*this};
};

}  // namespace heapsmith::fuzz
