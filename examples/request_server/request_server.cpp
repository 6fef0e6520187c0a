// A server: each request has a scope, which ends with it, and each tenant has a heap with a limit.
// A tenant over its limit is refused, and the others notice nothing.
#include <algorithm>
#include <cstdint>
#include <new>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "heapsmith/allocator.hpp"
#include "heapsmith/arena_containers.hpp"
#include "heapsmith/heap.hpp"
#include "heapsmith/scope.hpp"
#include "measured.hpp"

namespace {

constexpr std::size_t limit_bytes = 4 << 20;

/// Effects: calls `each(name, value)` for each line `name:value` of a request.
template <class Each>
void parse(std::string_view text, Each each) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    const std::size_t colon = line.find(':');
    each(line.substr(0, colon), line.substr(colon + 1));
  }
}

// To copy. Each thread keeps an arena, on which its requests open their scopes.
struct heapsmith_form {
  heapsmith::arena<> thread_memory;

  /// Copies the headers, since the buffer of the connection is reused meanwhile.
  class request {
   public:
    request(heapsmith_form& server, std::string_view text)
        : memory_(server.thread_memory, "request") {
      parse(text, [&](std::string_view name, std::string_view value) {
        first_ = &memory_.make<header>(header{copy(name), copy(value), first_});
      });
    }
    std::string_view operator[](std::string_view name) const {
      for (const header* h = first_; h != nullptr; h = h->next)
        if (h->name == name) return h->value;
      return {};
    }
    std::string_view answer(std::string_view status, std::string_view body) {
      auto& text = memory_.make<heapsmith::basic_arena_string<char, heapsmith::scope<>>>(memory_);
      text.reserve(status.size() + body.size() + 1);
      text.append(status).append(" ").append(body);
      return text;
    }

   private:
    struct header {
      std::string_view name, value;
      header* next;
    };
    std::string_view copy(std::string_view text) {
      const auto made = memory_.make_span(text);
      return {made.data(), made.size()};
    }
    heapsmith::scope<> memory_;
    header* first_ = nullptr;
  };

  /// All memory of a tenant comes from its heap, that of its containers, too. The heap counts it.
  class tenant {
   public:
    bool put(std::uint32_t key, std::string_view value) {
      try {
        values_.insert_or_assign(key, text(value, allocator<char>(heap_)));
        return true;
      } catch (const std::bad_alloc&) {
        return false;  // over the limit; nothing has changed
      }
    }
    std::string_view get(std::uint32_t key) const {
      const auto found = values_.find(key);
      return found == values_.end() ? std::string_view() : found->second;
    }

   private:
    template <class T>
    using allocator = heapsmith::resource_allocator<T, heapsmith::heap>;
    using text = std::basic_string<char, std::char_traits<char>, allocator<char>>;

    heapsmith::heap heap_{limit_bytes};
    std::unordered_map<std::uint32_t, text, std::hash<std::uint32_t>, std::equal_to<>,
                       allocator<std::pair<const std::uint32_t, text>>>
        values_{allocator<std::pair<const std::uint32_t, text>>(heap_)};
  };
};

// The same with the standard library. It cannot say how much a tenant holds, so the tenant counts
// the bytes of its values itself.
struct std_form {
  class request {
   public:
    request(std_form& /*server*/, std::string_view text) {
      parse(text, [&](std::string_view name, std::string_view value) {
        headers_.emplace_back(name, value);
      });
    }
    std::string_view operator[](std::string_view name) const {
      for (const auto& [known, value] : headers_)
        if (known == name) return value;
      return {};
    }
    std::string_view answer(std::string_view status, std::string_view body) {
      answer_.reserve(status.size() + body.size() + 1);
      return answer_.append(status).append(" ").append(body);
    }

   private:
    std::vector<std::pair<std::string, std::string>> headers_;
    std::string answer_;
  };

  class tenant {
   public:
    bool put(std::uint32_t key, std::string_view value) {
      const auto found = values_.find(key);
      const std::size_t replaced = found == values_.end() ? 0 : found->second.size();
      if (bytes_ - replaced + value.size() > limit_bytes) return false;
      bytes_ += value.size() - replaced;
      values_.insert_or_assign(key, std::string(value));
      return true;
    }
    std::string_view get(std::uint32_t key) const {
      const auto found = values_.find(key);
      return found == values_.end() ? std::string_view() : found->second;
    }

   private:
    std::size_t bytes_ = 0;
    std::unordered_map<std::uint32_t, std::string> values_;
  };
};

std::uint32_t number(std::string_view digits) {
  std::uint32_t value = 0;
  for (const char digit : digits) value = value * 10 + static_cast<std::uint32_t>(digit - '0');
  return value;
}

/// Many modest tenants, and a greedy one that stores values of 60 KB until it is refused.
template <class Form>
example::results serve(std::size_t requests) {
  Form server;
  std::vector<typename Form::tenant> tenants(32);
  const std::string letters(60'000, 'x');
  std::uint64_t answered = 0, refused = 0, greedy_refused = 0;
  std::uint32_t random = 1;
  std::string buffer;
  for (std::size_t i = 0; i < requests; ++i) {
    random = random * 1664525 + 1013904223;
    const std::uint32_t who = (random >> 10) % 32;
    const std::size_t bytes = who == 31 ? letters.size() : 20 + (random >> 12) % 400;
    buffer = "host:example.org\naccept:text/plain\ntenant:" + std::to_string(who);
    buffer += "\nkey:" + std::to_string((random >> 20) % 1000);
    if (random >> 31) buffer.append("\nvalue:").append(letters, 0, bytes);

    typename Form::request request(server, buffer);
    typename Form::tenant& tenant = tenants[number(request["tenant"])];
    const std::uint32_t key = number(request["key"]);
    if (const std::string_view value = request["value"]; value.empty()) {
      const std::size_t length = request.answer("200", tenant.get(key)).size();
      answered += who == 31 ? 0 : length;
    } else if (!tenant.put(key, value)) {
      ++(who == 31 ? greedy_refused : refused);
      request.answer("507", "over the limit");
    }
  }
  return {{"bytes answered to modest tenants", answered},
          {"modest tenants refused", refused},
          {"greedy tenant refused", greedy_refused != 0}};
}

}  // namespace

int main(int argc, char** argv) {
  return example::main<serve<std_form>, serve<heapsmith_form>, example::sizes{1'000'000, 10'000}>(
      "request-server", argc, argv);
}
