// A server's request memory. Each thread keeps an arena, and each request opens a scope on it.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <span>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <vector>

#include "heapsmith/scope.hpp"

namespace {

/// A connection that a request opens. It must be closed however the request ends.
struct connection {
  explicit connection(std::atomic<int>& open) : open(open) { ++open; }
  ~connection() { --open; }
  std::atomic<int>& open;
};

struct header {
  std::string_view name, value;
  header* next;
};

/// Copies the headers of a request, since its buffer is reused while the request is served.
header* parse(heapsmith::scope<>& request, std::string_view text) {
  header* first = nullptr;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    const std::size_t colon = line.find(':');
    if (colon == line.npos) throw std::invalid_argument("no colon");
    const std::span<char> copy = request.make_span(line);
    const std::string_view kept(copy.data(), copy.size());
    first = &request.make<header>(kept.substr(0, colon), kept.substr(colon + 1), first);
  }
  return first;
}

/// Returns: the bytes of all values. Errors: throws what parse() throws, without a leak.
std::size_t serve(heapsmith::arena<>& memory, std::string_view text, std::atomic<int>& open) {
  heapsmith::scope request(memory, "request");
  request.make<connection>(open);
  std::size_t sum = 0;
  for (const header* h = parse(request, text); h != nullptr; h = h->next) sum += h->value.size();
  return sum;
}

}  // namespace

int main() {
  constexpr std::array<std::string_view, 3> requests = {"host:example\naccept:text\n",
                                                        "host:example\n", "broken"};
  std::atomic<int> open = 0, refused = 0;
  std::atomic<std::size_t> bytes = 0, pieces = 0;
  std::vector<std::thread> workers;
  for (int t = 0; t < 4; ++t)
    workers.emplace_back([&] {
      heapsmith::arena memory;
      for (int i = 0; i < 300; ++i) try {
          bytes += serve(memory, requests[static_cast<std::size_t>(i) % requests.size()], open);
        } catch (const std::invalid_argument&) {
          ++refused;
        }
      pieces += memory.stats().held_bytes / 4096;
    });
  for (std::thread& worker : workers) worker.join();
  std::printf("%zu bytes served, %d refused, %d connections open, %zu pieces of 4 KiB in all\n",
              bytes.load(), refused.load(), open.load(), pieces.load());
}
