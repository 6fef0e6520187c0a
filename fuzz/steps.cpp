// The steps: each a call of the C API, with what it must and must not do.
#include "steps.hpp"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include <algorithm>
#include <thread>

#include "heapsmith/heapsmith.h"
#include "model.hpp"
#include "tape.hpp"

namespace heapsmith::fuzz {
namespace {

constexpr std::size_t most_bytes = std::size_t{512} << 20;
constexpr std::size_t most_blocks = 3000;

class stepper {
 public:
  explicit stepper(tape t) : tape_(t) {}

  void run() {
    while (!tape_.is_empty()) step();
    hs_set_limit(0);
    model_.check_all();
    while (model_.count() != 0) hs_free(model_.remove(model_.count() - 1).p);
    hs_purge();
    HS_MUST(in_use() == 0);
  }

 private:
  void step() {
    const unsigned choice = tape_.byte() % 64;
    if (choice < 16)
      allocate();
    else if (choice < 20)
      allocate_zeroed();
    else if (choice < 24)
      allocate_aligned();
    else if (choice < 26)
      allocate_run();
    else if (choice < 40)
      free_one();
    else if (choice < 49)
      resize();
    else if (choice < 52)
      expand();
    else if (choice < 54)
      resize_aligned();
    else if (choice < 57)
      free_in_threads();
    else if (choice < 59)
      allocate_in_thread();
    else if (choice < 60)
      ask_the_impossible();
    else if (choice < 61)
      hs_purge();
    else if (choice < 62)
      hs_thread_purge();
    else if (choice < 63)
      change_limit();
    else
      hs_prefault(tape_.below(16) << 16);
  }

  bool is_full() const { return model_.count() >= most_blocks || model_.bytes() >= most_bytes; }

  /// A request may fail under a limit only, and then with ENOMEM.
  void keep(void* p, std::size_t bytes, std::size_t align) {
    if (p == nullptr) {
      HS_MUST(limited_ && errno == ENOMEM);
      return;
    }
    model_.add(p, bytes, align);
  }

  void allocate() {
    if (is_full()) return;
    const std::size_t bytes = tape_.size();
    errno = 0;
    keep(hs_malloc(bytes), bytes, 16);
  }

  /// Many of one size: slabs fill up and are left.
  void allocate_run() {
    const std::size_t bytes = tape_.size() % 5000;
    for (std::size_t n = tape_.below(300); n > 0 && !is_full(); --n)
      keep(hs_malloc(bytes), bytes, 16);
  }

  void allocate_zeroed() {
    if (is_full()) return;
    const std::size_t count = 1 + tape_.byte() % 8, bytes = count * (tape_.size() / count);
    auto* p = static_cast<unsigned char*>(hs_calloc(count, bytes / count));
    if (p != nullptr && bytes != 0) HS_MUST(p[0] == 0 && memcmp(p, p + 1, bytes - 1) == 0);
    keep(p, bytes, 16);
  }

  void allocate_aligned() {
    if (is_full()) return;
    const std::size_t align = std::size_t{1} << tape_.byte() % 23, bytes = tape_.size();
    keep(hs_aligned_alloc(align, bytes), bytes, align);
  }

  void free_one() {
    if (model_.count() == 0) return;
    const block b = model_.remove(tape_.below(model_.count()));
    errno = 77;
    if (tape_.byte() % 2 == 0)
      hs_free(b.p);
    else
      hs_free_sized(b.p, b.bytes);
    HS_MUST(errno == 77);
  }

  void resize() {
    if (model_.count() == 0) return;
    block b = model_.remove(tape_.below(model_.count()));
    const std::size_t bytes = 1 + tape_.size();
    finish_resizing(b, hs_realloc(b.p, bytes), bytes, 16);
  }

  void resize_aligned() {
    if (model_.count() == 0) return;
    block b = model_.remove(tape_.below(model_.count()));
    const std::size_t align = std::size_t{1} << tape_.byte() % 17, bytes = 1 + tape_.size();
    finish_resizing(b, hs_aligned_realloc(b.p, align, bytes), bytes, align);
  }

  void finish_resizing(block b, void* p, std::size_t bytes, std::size_t align) {
    if (p == nullptr) {
      HS_MUST(limited_ && errno == ENOMEM);
      model::check(b);
      model_.add(b.p, b.bytes, b.align);
      return;
    }
    b.p = static_cast<unsigned char*>(p);
    model::check_first(b, bytes);
    model_.add(p, bytes, align);
  }

  void expand() {
    if (model_.count() == 0) return;
    const block b = model_.remove(tape_.below(model_.count()));
    const std::size_t bytes = b.bytes + tape_.size();
    const bool done = hs_try_expand(b.p, bytes) != 0;
    model::check(b);
    model_.add(b.p, done ? bytes : b.bytes, b.align);
  }

  /// Blocks of this thread freed by two others, at once.
  void free_in_threads() {
    std::vector<block> share[2];
    for (std::size_t n = tape_.below(200); n > 0 && model_.count() != 0; --n)
      share[n % 2].push_back(model_.remove(tape_.below(model_.count())));
    std::thread threads[2];
    for (unsigned t = 0; t < 2; ++t)
      threads[t] = std::thread([&mine = share[t]] {
        for (const block& b : mine) hs_free(b.p);
      });
    for (std::thread& t : threads) t.join();
  }

  /// Blocks of a thread that has ended.
  void allocate_in_thread() {
    if (is_full()) return;
    const std::size_t bytes = tape_.size() % 100'000, n = tape_.below(60);
    std::vector<void*> blocks(n);
    std::thread([&] {
      for (void*& p : blocks) p = hs_malloc(bytes);
    }).join();
    errno = ENOMEM;  // as the thread saw it
    for (void* p : blocks) keep(p, bytes, 16);
  }

  void ask_the_impossible() {
    volatile size_t huge = SIZE_MAX - tape_.below(SIZE_MAX);
    errno = 0;
    HS_MUST(hs_malloc(huge) == nullptr && errno == ENOMEM);
    errno = 0;
    HS_MUST(hs_calloc(huge, 2) == nullptr && errno == ENOMEM);
    errno = 0;
    HS_MUST(hs_aligned_alloc(3, 100) == nullptr && errno == EINVAL);
    if (model_.count() == 0) return;
    const block& b = model_.look(tape_.below(model_.count()));
    HS_MUST(hs_realloc(b.p, huge) == nullptr);
    HS_MUST(hs_try_expand(b.p, huge) == 0);
    model::check(b);
  }

  void change_limit() {
    limited_ = tape_.byte() % 2 == 0;
    hs_set_limit(limited_ ? model_.bytes() + tape_.size() : 0);
  }

  static std::size_t in_use() {
    hs_statistics s;
    s.size = sizeof s;
    HS_MUST(hs_stats(&s) == 1);
    return s.in_use_bytes;
  }

  tape tape_;
  model model_;
  bool limited_ = false;
};

}  // namespace

void run(const std::uint8_t* bytes, std::size_t length) {
  stepper(tape(bytes, length)).run();
}

}  // namespace heapsmith::fuzz
