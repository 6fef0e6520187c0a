// The steps of a shared region: calls of the C API, through one of two views.
#include <errno.h>
#include <stdint.h>
#include <string.h>

#include <algorithm>

#include "malloc_steps.hpp"
#include "shared_family.hpp"
#include "steps.hpp"

namespace heapsmith::fuzz {
namespace {

class shared_stepper {
 public:
  explicit shared_stepper(tape t) : tape_(t) { memset(family_.memory(0), outside, memory_bytes); }

  void run() {
    for (start(); model_.has_memory() && !tape_.is_empty(); step()) check();
    if (!model_.has_memory()) return;
    check();
    model_.check_contents();
    steps_.free_all();
    model_.check_region();
    fill_what_is_largest();
    end();
  }

 private:
  void step() {
    const unsigned choice = tape_.byte() % 64;
    if (tape_.byte() % 2 == 0) family_.next();
    if (steps_.step(choice, 64, 2000)) return;
    if (choice < 53)
      ask_the_impossible();
    else if (choice < 56)
      change_root();
    else if (choice < 58)
      fill_what_is_largest();
    else if (choice < 61)
      restart();
    else if (choice < 62)
      attach_again();
    else if (choice < 63)
      reset();
    else
      start_over();
  }

  void start() {
    while (!model_.has_memory() && !tape_.is_empty()) {
      const std::size_t bytes = std::min(tape_.below(65536) * 8 + tape_.byte() % 64, memory_bytes);
      hs_shared_region* view = family_.next();
      HS_MUST(hs_shared_region_attach(view, family_.memory_of_last(), memory_bytes) == ENODATA);
      const int refused = hs_shared_region_create(view, family_.memory_of_last(), bytes);
      HS_MUST(refused == 0 || (refused == EINVAL && bytes < HS_SHARED_REGION_CONTROL_BYTES + 64));
      if (refused != 0) continue;
      attach_next(bytes);
      bytes_ = bytes;
      const std::size_t control = bytes - family_.stats().buffer_bytes;
      HS_MUST(control <= HS_SHARED_REGION_CONTROL_BYTES);
      model_.add_buffer({family_.memory(0) + control, family_.memory(0) + bytes});
    }
  }

  void attach_next(std::size_t bytes) {
    hs_shared_region* view = family_.next();
    HS_MUST(hs_shared_region_attach(view, family_.memory_of_last(), bytes - 1) == ERANGE);
    HS_MUST(hs_shared_region_attach(view, family_.memory_of_last(), bytes) == 0);
    HS_MUST(hs_shared_region_create(view, family_.memory_of_last(), bytes) == EEXIST);
  }

  void attach_again() {
    hs_shared_region_detach(family_.next());
    HS_MUST(hs_shared_region_malloc(family_.last(), 1) == nullptr);
    family_.next();
    attach_next(bytes_);
  }

  /// Attaches as after a crash of the system: the holder of the lock is gone, and everything is
  /// rebuilt from the headers.
  void restart() {
    constexpr std::uint32_t nobody_alive = 0x3ffffffe;
    constexpr std::size_t lock_at = 64;
    const std::uint64_t before = hs_shared_region_recoveries(family_.next());
    if (tape_.byte() % 2 == 0)
      memcpy(family_.memory(0) + lock_at, &nobody_alive, sizeof nobody_alive);
    HS_MUST(hs_shared_region_attach_alone(family_.last(), family_.memory_of_last(), bytes_) == 0);
    HS_MUST(hs_shared_region_recoveries(family_.last()) == before + 1);
    HS_MUST(family_.stats().deferred_bytes == 0);
  }

  void ask_the_impossible() {
    steps_.ask_the_impossible();
    HS_MUST(family_.malloc(0) == nullptr && errno == 0);
    HS_MUST(!family_.owns(&family_) && !family_.owns(nullptr));
    HS_MUST(hs_shared_region_from_offset(family_.last(), bytes_ + tape_.below(65536)) == nullptr);
  }

  /// Stores or replaces a root, which leads to a block or to where one was.
  void change_root() {
    const unsigned index = tape_.byte() % HS_SHARED_REGION_ROOTS;
    void* p = model_.count() == 0 ? nullptr : model_.look(tape_.below(model_.count())).p;
    const hs_shared_region* view = family_.next();
    if (tape_.byte() % 2 == 0) {
      hs_shared_region_set_root(view, index, family_.there(p));
    } else {
      void* other = roots_[index] == p ? family_.memory(0) + 64 : p;
      HS_MUST((hs_shared_region_replace_root(view, index, family_.there(other), nullptr) == 0) ==
              (roots_[index] == other));
      HS_MUST(hs_shared_region_replace_root(view, index, hs_shared_region_root(view, index),
                                            family_.there(p)) == 0);
    }
    roots_[index] = p;
  }

  void check() {
    model_.check_region();
    for (unsigned i = 0; i < HS_SHARED_REGION_ROOTS; ++i) {
      const hs_shared_region* view = family_.next();
      HS_MUST(family_.first(hs_shared_region_root(view, i)) == roots_[i]);
    }
  }

  void fill_what_is_largest() { steps_.fill(hs_shared_region_defragment(family_.next())); }

  void reset() {
    model_.check_contents();
    HS_MUST(hs_shared_region_reset(family_.next()) == 0);
    model_.forget_blocks();
    std::fill(roots_, roots_ + HS_SHARED_REGION_ROOTS, nullptr);
  }

  /// Destroys the region. The bytes behind the segment must be unchanged.
  void end() {
    reset();
    hs_shared_region_detach(family_.next());
    hs_shared_region_destroy(family_.next());
    const unsigned char* const memory = family_.memory(0);
    for (std::size_t i = bytes_; i < memory_bytes; ++i) HS_MUST(memory[i] == outside);
    memset(family_.memory(1), outside, memory_bytes);
    model_.forget_buffers();
  }

  void start_over() {
    end();
    start();
  }

  tape tape_;
  shared_family family_;
  region_model& model_ = family_.model();
  malloc_steps<shared_family> steps_{tape_, family_};
  std::size_t bytes_ = 0;
  void* roots_[HS_SHARED_REGION_ROOTS] = {};
};

}  // namespace

void run(const std::uint8_t* bytes, std::size_t length) {
  shared_stepper(tape(bytes, length)).run();
}

}  // namespace heapsmith::fuzz
