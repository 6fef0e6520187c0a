// A plugin with a memory budget: its allocations are counted, limited, and end with it.
//
// The host passes a resource_ref to the plugin. It refers to a stack of resources: a pool, which
// makes small blocks cheap; a limit, which protects the host; a count, which shows the host how
// much the plugin holds; and operator new.
#include <cstdio>
#include <map>
#include <new>
#include <string>

#include "heapsmith/allocator.hpp"
#include "heapsmith/counting.hpp"
#include "heapsmith/limiting.hpp"
#include "heapsmith/pool_resource.hpp"
#include "heapsmith/resource_ref.hpp"

namespace {

using heapsmith::resource_ref;
template <class T>
using allocator = heapsmith::resource_allocator<T, resource_ref>;

/// The plugin. It may be compiled elsewhere, since it knows only the reference.
class word_counter {
 public:
  explicit word_counter(resource_ref memory) : counts_(memory) {}

  void read(const std::string& text) {
    std::string word;
    for (const char c : text + ' ') {
      if (c != ' ') {
        word += c;
      } else if (!word.empty()) {
        ++counts_[text_type(word, counts_.get_allocator())];
        word.clear();
      }
    }
  }

  std::size_t words() const { return counts_.size(); }

 private:
  using text_type = std::basic_string<char, std::char_traits<char>, allocator<char>>;
  std::map<text_type, int, std::less<>, allocator<std::pair<const text_type, int>>> counts_;
};

/// The host's side of a plugin.
struct sandbox {
  explicit sandbox(std::size_t budget_bytes) : budget(budget_bytes), pool(budget) {}

  heapsmith::limiting<heapsmith::counting<heapsmith::default_resource>> budget;
  heapsmith::unsynchronized_pool<decltype(budget), 4096> pool;
};

}  // namespace

int main() {
  sandbox modest(1 << 20), greedy(64 << 10);
  {
    word_counter counter(modest.pool);
    counter.read("to be or not to be that is the question");
    std::printf("%zu words in %zu bytes of %zu\n", counter.words(), modest.budget.in_use_bytes(),
                modest.budget.limit_bytes());
    if (counter.words() != 8) return 1;
  }
  modest.pool.trim();
  if (modest.budget.in_use_bytes() != 0) return 1;

  bool was_stopped = false;
  try {
    word_counter counter(greedy.pool);
    for (int i = 0;; ++i) counter.read("a-word-that-never-comes-twice-" + std::to_string(i));
  } catch (const std::bad_alloc&) {
    was_stopped = true;  // the plugin ended, and the host continues
  }
  const heapsmith::counting_stats& counts = greedy.budget.base().stats();
  std::printf("stopped at %zu bytes after %zu pieces\n", counts.peak_bytes, counts.allocations);
  return was_stopped && counts.peak_bytes <= 64 << 10 ? 0 : 1;
}
