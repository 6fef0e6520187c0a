// The steps of a region of any kind: calls of the C API, and what they must and must not do.
#pragma once

#include <errno.h>

#include "heapsmith/small_region.hpp"
#include "malloc_steps.hpp"
#include "region_model.hpp"
#include "region_storage.hpp"
#include "steps.hpp"

namespace heapsmith::fuzz {

inline constexpr std::size_t most_blocks = 400;

/// `Bins` has the calls; `Buffers` is how many buffers the region can have.
template <class Bins, std::size_t Buffers>
class region_family final : public questions {
 public:
  static constexpr unsigned most_alignment_shift = 21;
  static constexpr bool shrinks_in_place = true;

  void* malloc(std::size_t n) { return Bins::malloc(&region_, n); }
  void* calloc(std::size_t count, std::size_t n) { return Bins::calloc(&region_, count, n); }
  void* aligned_alloc(std::size_t align, std::size_t n) {
    return Bins::aligned_alloc(&region_, align, n);
  }
  void* realloc(void* p, std::size_t n) { return Bins::realloc(&region_, p, n); }
  void* aligned_realloc(void* p, std::size_t align, std::size_t n) {
    return Bins::aligned_realloc(&region_, p, align, n);
  }
  bool try_expand(void* p, std::size_t n) { return Bins::try_expand(&region_, p, n) == 0; }
  void free(std::nullptr_t) { Bins::free(&region_, nullptr); }
  void free(const block& b) {
    if (b.mark % 8 == 0)
      HS_MUST(Bins::realloc(&region_, b.p, 0) == nullptr);
    else
      Bins::free(&region_, b.p);
    region_model::check_unreadable(b);
  }

  [[nodiscard]] std::size_t usable_size(const void* p) const override {
    return Bins::usable_size(&region_, p);
  }
  [[nodiscard]] bool owns(const void* p) const override { return Bins::owns(&region_, p) != 0; }
  [[nodiscard]] int check() const override { return Bins::check(&region_); }
  [[nodiscard]] hs_region_statistics stats() const override {
    hs_region_statistics s;
    s.size = sizeof s;
    HS_MUST(Bins::stats(&region_, &s) == 0);
    return s;
  }
  void for_each_block(void (*visit)(void*, const hs_region_block*), void* context) const override {
    Bins::for_each_block(&region_, visit, context);
  }

  static std::size_t bytes(tape& t) { return region_bytes(t); }
  [[nodiscard]] bool is_full() const { return model_.count() >= most_blocks; }
  void expect_refusal(std::size_t bytes, std::size_t align) const {
    HS_MUST(errno == ENOMEM);
    model_.check_refusal(bytes, align);
  }

  region_model& model() { return model_; }
  typename Bins::control* get() { return &region_; }

 private:
  typename Bins::control region_ = {};
  region_model model_{*this};
};

template <class Bins, std::size_t Buffers>
class region_stepper {
 public:
  explicit region_stepper(tape t) : tape_(t) {}

  void run() {
    start();
    while (!tape_.is_empty()) {
      step();
      model_.check_region();
    }
    model_.check_contents();
    steps_.free_all();
    model_.check_region();
    fill_what_is_largest();
    end();
  }

 private:
  void step() {
    const unsigned choice = tape_.byte() % 64;
    if (steps_.step(choice, 64, 2000)) return;
    if (choice < 55)
      ask_the_impossible();
    else if (choice < 59)
      add_memory();
    else if (choice < 62)
      fill_what_is_largest();
    else if (choice < 63)
      reset();
    else
      start_over();
  }

  void start() {
    while (!model_.has_memory() && !tape_.is_empty()) {
      const extent e = storage_.some_extent(tape_, model_.buffers());
      const int refused = Bins::init(family_.get(), e.begin, e.bytes());
      HS_MUST(refused == 0 || (refused == EINVAL && e.bytes() < 56));
      if (refused == 0) model_.add_buffer(e);
    }
    if (model_.has_memory()) HS_MUST(Bins::init(family_.get(), &tape_, sizeof tape_) == EBUSY);
  }

  void add_memory() {
    const extent e = storage_.some_extent(tape_, model_.buffers());
    const int refused = Bins::add_memory(family_.get(), e.begin, e.bytes());
    if (model_.overlaps_buffer(e)) {
      HS_MUST(refused == EINVAL);
    } else if (refused == ENOSPC) {
      HS_MUST(model_.buffers().size() >= Buffers);
    } else {
      HS_MUST(refused == 0 || (refused == EINVAL && e.bytes() < 56));
      if (refused == 0) model_.add_buffer(e);
    }
  }

  void ask_the_impossible() {
    steps_.ask_the_impossible();
    HS_MUST(family_.malloc(0) == nullptr && errno == 0);
    HS_MUST(!family_.owns(&family_) && !family_.owns(nullptr));
  }

  void fill_what_is_largest() { steps_.fill(Bins::defragment(family_.get())); }

  void reset() {
    model_.check_contents();
    Bins::reset(family_.get());
    model_.forget_blocks();
  }

  /// Destroys the region. All of its buffers must be writable then, and the bytes around them
  /// unchanged.
  void end() {
    model_.check_contents();
    Bins::destroy(family_.get());
    storage_.check_and_clear(model_.buffers());
    model_.forget_blocks();
    model_.forget_buffers();
  }

  void start_over() {
    end();
    start();
  }

  tape tape_;
  region_storage storage_;
  using family = region_family<Bins, Buffers>;
  family family_;
  region_model& model_ = family_.model();
  malloc_steps<family> steps_{tape_, family_};
};

}  // namespace heapsmith::fuzz
