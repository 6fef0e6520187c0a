// The steps of a region's life: each a call of the C API, with what it must and must not do.
#include <errno.h>
#include <stdint.h>
#include <string.h>

#include <algorithm>

#include "region_model.hpp"
#include "region_storage.hpp"
#include "steps.hpp"
#include "tape.hpp"

namespace heapsmith::fuzz {
namespace {

constexpr std::size_t most_blocks = 400;

class region_stepper {
 public:
  explicit region_stepper(tape t) : tape_(t), model_(&region_) {}

  void run() {
    start();
    while (!tape_.is_empty()) {
      step();
      model_.check_region();
    }
    model_.check_contents();
    while (model_.count() != 0) hs_region_free(&region_, model_.remove(model_.count() - 1).p);
    model_.check_region();
    fill_what_is_largest();
    end();
  }

 private:
  void step() {
    const unsigned choice = tape_.byte() % 64;
    if (choice < 16)
      allocate();
    else if (choice < 20)
      allocate_aligned();
    else if (choice < 22)
      allocate_zeroed();
    else if (choice < 25)
      allocate_run();
    else if (choice < 40)
      free_one();
    else if (choice < 42)
      free_run();
    else if (choice < 48)
      resize();
    else if (choice < 50)
      resize_aligned();
    else if (choice < 55)
      expand();
    else if (choice < 57)
      ask_the_impossible();
    else if (choice < 60)
      add_memory();
    else if (choice < 62)
      fill_what_is_largest();
    else if (choice < 63)
      reset();
    else
      start_over();
  }

  /// A size below 512 KiB: near a power of two, or anywhere below one; mostly small.
  std::size_t some_bytes() {
    const unsigned shift = tape_.byte() % 40;
    const std::size_t top = std::size_t{1} << (shift < 20 ? shift : shift % 11);
    const unsigned how = tape_.byte() % 4;
    if (how == 0) return top - 1;
    if (how == 1) return top + tape_.byte() % 32;
    return tape_.below(top);
  }

  void start() {
    while (!model_.has_memory() && !tape_.is_empty()) {
      const extent e = storage_.some_extent(tape_, model_.buffers());
      const int refused = hs_region_init(&region_, e.begin, e.bytes());
      HS_MUST(refused == 0 || (refused == EINVAL && e.bytes() < 56));
      if (refused == 0) model_.add_buffer(e);
    }
    if (model_.has_memory()) HS_MUST(hs_region_init(&region_, &tape_, sizeof tape_) == EBUSY);
  }

  void add_memory() {
    const extent e = storage_.some_extent(tape_, model_.buffers());
    const int refused = hs_region_add_memory(&region_, e.begin, e.bytes());
    if (model_.overlaps_buffer(e)) {
      HS_MUST(refused == EINVAL);
    } else if (refused == ENOSPC) {
      HS_MUST(model_.buffers().size() >= HS_REGION_BUFFERS);
    } else {
      HS_MUST(refused == 0 || (refused == EINVAL && e.bytes() < 56));
      if (refused == 0) model_.add_buffer(e);
    }
  }

  /// A request may fail when nothing free could serve it, and then with ENOMEM.
  void keep(void* p, std::size_t bytes, std::size_t align) {
    if (p != nullptr) return model_.add(p, bytes, align);
    HS_MUST(errno == ENOMEM);
    model_.check_refusal(bytes, align);
  }

  void allocate() {
    if (model_.count() >= most_blocks) return;
    const std::size_t bytes = some_bytes();
    errno = 0;
    void* p = tape_.byte() % 8 == 0 ? hs_region_realloc(&region_, nullptr, bytes)
                                    : hs_region_malloc(&region_, bytes);
    if (bytes != 0) return keep(p, bytes, 16);
    HS_MUST(p == nullptr && errno == 0);
  }

  void allocate_aligned() {
    if (model_.count() >= most_blocks) return;
    const std::size_t align = std::size_t{1} << tape_.byte() % 22, bytes = 1 + some_bytes();
    errno = 0;
    keep(hs_region_aligned_alloc(&region_, align, bytes), bytes, align);
  }

  void allocate_zeroed() {
    if (model_.count() >= most_blocks) return;
    const std::size_t count = 1 + tape_.byte() % 8, each = 1 + some_bytes() / count;
    errno = 0;
    auto* p = static_cast<unsigned char*>(hs_region_calloc(&region_, count, each));
    if (p != nullptr) HS_MUST(p[0] == 0 && memcmp(p, p + 1, count * each - 1) == 0);
    keep(p, count * each, 16);
  }

  /// Many of one size, as containers have them.
  void allocate_run() {
    const std::size_t bytes = 1 + some_bytes() % 2000;
    for (std::size_t n = tape_.byte() % 64; n > 0 && model_.count() < most_blocks; --n) {
      errno = 0;
      keep(hs_region_malloc(&region_, bytes), bytes, 16);
    }
  }

  void free_at(std::size_t index) {
    const block b = model_.remove(index);
    if (tape_.byte() % 8 == 0)
      HS_MUST(hs_region_realloc(&region_, b.p, 0) == nullptr);
    else
      hs_region_free(&region_, b.p);
    region_model::check_unreadable(b);
  }

  void free_one() {
    if (model_.count() != 0) free_at(tape_.below(model_.count()));
    hs_region_free(&region_, nullptr);
  }

  void free_run() {
    for (std::size_t n = tape_.byte(); n > 0 && model_.count() != 0; --n)
      free_at(model_.count() - 1 - tape_.byte() % std::min<std::size_t>(model_.count(), 4));
  }

  void resize() {
    if (model_.count() == 0) return;
    const block b = model_.remove(tape_.below(model_.count()));
    const std::size_t bytes = 1 + some_bytes();
    errno = 0;
    void* p = hs_region_realloc(&region_, b.p, bytes);
    HS_MUST(bytes > b.bytes || p == b.p);
    finish_resizing(b, p, bytes, b.p == p ? b.align : 16);
  }

  void resize_aligned() {
    if (model_.count() == 0) return;
    const block b = model_.remove(tape_.below(model_.count()));
    const std::size_t align = std::size_t{1} << tape_.byte() % 14, bytes = 1 + some_bytes();
    errno = 0;
    void* p = hs_region_aligned_realloc(&region_, b.p, align, bytes);
    finish_resizing(b, p, bytes, b.p == p ? 16 : align);
  }

  void finish_resizing(block b, void* p, std::size_t bytes, std::size_t align) {
    if (p == nullptr) {
      HS_MUST(errno == ENOMEM);
      model::check(b);
      model_.add(b.p, b.bytes, b.align);
      return model_.check_refusal(bytes, align);
    }
    b.p = static_cast<unsigned char*>(p);
    model::check_first(b, bytes);
    model_.add(p, bytes, align);
  }

  void expand() {
    if (model_.count() == 0) return;
    const block b = model_.remove(tape_.below(model_.count()));
    const std::size_t bytes = 1 + some_bytes();
    const bool done = hs_region_try_expand(&region_, b.p, bytes) != 0;
    HS_MUST(done || bytes > b.bytes);
    model::check_first(b, bytes);
    model_.add(b.p, done ? bytes : b.bytes, b.align);
  }

  void ask_the_impossible() {
    volatile std::size_t huge =
        SIZE_MAX - tape_.below(SIZE_MAX) * (tape_.byte() % 2 == 0 ? 1 : 65536);
    volatile std::size_t all = SIZE_MAX / 2 + 2;
    errno = 0;
    HS_MUST(hs_region_malloc(&region_, huge) == nullptr && errno == ENOMEM);
    errno = 0;
    HS_MUST(hs_region_calloc(&region_, all, 2) == nullptr && errno == ENOMEM);
    errno = 0;
    HS_MUST(hs_region_aligned_alloc(&region_, all - 1, 100) == nullptr && errno == ENOMEM);
    errno = 0;
    HS_MUST(hs_region_aligned_alloc(&region_, 48, 100) == nullptr && errno == EINVAL);
    HS_MUST(hs_region_owns(&region_, &region_) == 0 && hs_region_owns(&region_, nullptr) == 0);
    if (model_.count() == 0) return;
    const block& b = model_.look(tape_.below(model_.count()));
    errno = 0;
    HS_MUST(hs_region_realloc(&region_, b.p, huge) == nullptr && errno == ENOMEM);
    HS_MUST(hs_region_try_expand(&region_, b.p, huge) == 0);
    model::check(b);
  }

  /// What defragment() says is what can be had.
  void fill_what_is_largest() {
    const std::size_t bytes = hs_region_defragment(&region_);
    if (bytes == 0) return;
    errno = 0;
    HS_MUST(hs_region_malloc(&region_, bytes + 1) == nullptr && errno == ENOMEM);
    void* p = hs_region_malloc(&region_, bytes);
    HS_MUST(p != nullptr);
    model_.add(p, bytes, 16);
    hs_region_free(&region_, model_.remove(model_.count() - 1).p);
  }

  void reset() {
    model_.check_contents();
    hs_region_reset(&region_);
    model_.forget_blocks();
  }

  /// The buffers go back to their owner, who may read and write all of them, and finds what lies
  /// around them as it was.
  void end() {
    model_.check_contents();
    hs_region_destroy(&region_);
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
  hs_region region_ = {};
  region_model model_;
};

}  // namespace

void run(const std::uint8_t* bytes, std::size_t length) {
  region_stepper(tape(bytes, length)).run();
}

}  // namespace heapsmith::fuzz
