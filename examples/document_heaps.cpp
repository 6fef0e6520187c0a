// Each document has its own heap. Several threads fill a document, each document has a budget, and
// closing it ends all its blocks at once, without destructors or a walk over the blocks.
#include <atomic>
#include <cstdio>
#include <cstring>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "heapsmith/heap.hpp"

namespace {

struct line {
  line* next;
  std::size_t length;
  char text[];
};

class document {
 public:
  explicit document(std::size_t budget_bytes) : heap_(budget_bytes) {}

  /// Thread safety: any thread may call it. Errors: throws std::bad_alloc if the budget is spent.
  void add(const std::string& text) {
    auto* const added = static_cast<line*>(heap_.allocate(sizeof(line) + text.size()));
    added->length = text.size();
    std::memcpy(added->text, text.data(), text.size());
    added->next = lines_.load(std::memory_order_relaxed);  // a guess; the exchange checks it
    // release pairs with the acquire in count(), so count() sees the contents of each line.
    while (!lines_.compare_exchange_weak(added->next, added, std::memory_order_release,
                                         std::memory_order_relaxed)) {
    }
  }

  std::size_t count() const {
    std::size_t n = 0;
    for (const line* each = lines_.load(std::memory_order_acquire); each; each = each->next) ++n;
    return n;
  }

  heapsmith::heap_stats stats() const { return heap_.stats(); }

 private:
  heapsmith::heap heap_;  // its destructor ends all lines
  std::atomic<line*> lines_{nullptr};
};

/// Fills a document from several threads. Returns: whether all lines fitted.
bool read_in(document& into, unsigned threads, unsigned lines_each) {
  std::atomic<bool> fits = true;
  std::vector<std::thread> readers;
  for (unsigned t = 0; t < threads; ++t)
    readers.emplace_back([&, t] {
      try {
        for (unsigned i = 0; i < lines_each; ++i)
          into.add("line " + std::to_string(i) + " of reader " + std::to_string(t));
      } catch (const std::bad_alloc&) {
        fits = false;
      }
    });
  for (std::thread& each : readers) each.join();
  return fits;
}

}  // namespace

int main() {
  document letter(4 << 20), flood(1 << 20);
  const bool letter_fits = read_in(letter, 4, 5000);
  std::printf("the letter: %zu lines in %zu KiB\n", letter.count(),
              letter.stats().held_bytes >> 10);
  {
    document draft(64 << 20);
    if (!read_in(draft, 2, 100000) || draft.count() != 200000) return 1;
  }  // the next document reuses this memory
  const bool flood_fits = read_in(flood, 2, 1000000);
  std::printf("the flood: stopped at %zu KiB\n", flood.stats().peak_bytes >> 10);
  return letter_fits && letter.count() == 20000 && !flood_fits &&
                 flood.stats().peak_bytes <= 1 << 20
             ? 0
             : 1;
}
