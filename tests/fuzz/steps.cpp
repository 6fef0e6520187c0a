// The steps of the heap: calls of the C API, and what they must and must not do.
#include "steps.hpp"

#include <errno.h>

#include <thread>
#include <vector>

#include "heapsmith/heapsmith.h"
#include "malloc_steps.hpp"

namespace heapsmith::fuzz {
namespace {

constexpr std::size_t most_bytes = std::size_t{512} << 20;
constexpr std::size_t most_blocks = 3000;

class heap_family {
 public:
  static constexpr unsigned most_alignment_shift = 22;
  static constexpr bool shrinks_in_place = false;

  static void* malloc(std::size_t n) { return hs_malloc(n); }
  static void* calloc(std::size_t count, std::size_t n) { return hs_calloc(count, n); }
  static void* aligned_alloc(std::size_t align, std::size_t n) {
    return hs_aligned_alloc(align, n);
  }
  static void* realloc(void* p, std::size_t n) { return hs_realloc(p, n); }
  static void* aligned_realloc(void* p, std::size_t align, std::size_t n) {
    return hs_aligned_realloc(p, align, n);
  }
  static bool try_expand(void* p, std::size_t n) { return hs_try_expand(p, n) == 0; }
  static void free(std::nullptr_t) { hs_free(nullptr); }
  static void free(const block& b) {
    errno = 77;
    if (b.mark % 2 == 0)
      hs_free(b.p);
    else
      hs_free_sized(b.p, b.bytes);
    HS_MUST(errno == 77);
  }

  static std::size_t bytes(tape& t) { return t.size(); }
  [[nodiscard]] bool is_full() const {
    return model_.count() >= most_blocks || model_.bytes() >= most_bytes;
  }
  /// A request may fail only under a limit, and with ENOMEM.
  void expect_refusal(std::size_t, std::size_t) const { HS_MUST(limited_ && errno == ENOMEM); }

  void set_limit(std::size_t bytes) {
    limited_ = bytes != 0;
    hs_set_limit(bytes);
  }
  heapsmith::fuzz::model& model() { return model_; }

 private:
  heapsmith::fuzz::model model_;
  bool limited_ = false;
};

class stepper {
 public:
  explicit stepper(tape t) : tape_(t) {}

  void run() {
    while (!tape_.is_empty()) step();
    hs_set_limit(0);
    model_.check_all();
    steps_.free_all();
    hs_purge();
    HS_MUST(in_use() == 0);
  }

 private:
  void step() {
    const unsigned choice = tape_.byte() % 64;
    if (steps_.step(choice, 300, 5000)) return;
    if (choice < 55)
      free_in_threads();
    else if (choice < 58)
      allocate_in_thread();
    else if (choice < 60)
      ask_the_impossible();
    else if (choice < 61)
      hs_purge();
    else if (choice < 62)
      hs_thread_purge();
    else if (choice < 63)
      family_.set_limit(tape_.byte() % 2 == 0 ? model_.bytes() + tape_.size() : 0);
    else
      hs_prefault(tape_.below(16) << 16);
  }

  /// Two other threads free blocks of this one at the same time.
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

  /// Allocates blocks in a thread that ends.
  void allocate_in_thread() {
    if (family_.is_full()) return;
    const std::size_t bytes = tape_.size() % 100'000, n = tape_.below(60);
    std::vector<void*> blocks(n);
    std::thread([&] {
      for (void*& p : blocks) p = hs_malloc(bytes);
    }).join();
    errno = ENOMEM;  // as the thread saw it
    for (void* p : blocks) steps_.keep(p, bytes, 16);
  }

  /// A request of 0 bytes gets a block.
  void ask_the_impossible() {
    steps_.ask_the_impossible();
    errno = 0;
    steps_.keep(hs_malloc(0), 0, 16);
  }

  static std::size_t in_use() {
    hs_statistics s;
    s.size = sizeof s;
    HS_MUST(hs_stats(&s) == 0);
    return s.in_use_bytes;
  }

  tape tape_;
  heap_family family_;
  model& model_ = family_.model();
  malloc_steps<heap_family> steps_{tape_, family_};
};

}  // namespace

void run(const std::uint8_t* bytes, std::size_t length) {
  stepper(tape(bytes, length)).run();
}

}  // namespace heapsmith::fuzz
