// A large input for a compiler: it parses, evaluates and prints expressions, and instantiates much
// of the standard library.
#include <algorithm>
#include <chrono>
#include <functional>
#include <future>
#include <iostream>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <ranges>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <unordered_map>
#include <variant>
#include <vector>

namespace {

struct sum;
struct product;
using node = std::variant<long, std::string, std::unique_ptr<sum>, std::unique_ptr<product>>;
struct sum {
  node left, right;
};
struct product {
  node left, right;
};

template <class... F>
struct overloaded : F... {
  using F::operator()...;
};

using scope = std::map<std::string, long, std::less<>>;

long evaluate(const node& expression, const scope& names) {
  return std::visit(overloaded{
                        [](long value) { return value; },
                        [&](const std::string& name) { return names.find(name)->second; },
                        [&](const std::unique_ptr<sum>& s) {
                          return evaluate(s->left, names) + evaluate(s->right, names);
                        },
                        [&](const std::unique_ptr<product>& p) {
                          return evaluate(p->left, names) * evaluate(p->right, names) % 1000003;
                        },
                    },
                    expression);
}

node grow(std::minstd_rand& random, int depth) {
  if (depth == 0 || random() % 8 == 0)
    return random() % 2 ? node{long(random() % 100)}
                        : node{std::string(1, char('a' + random() % 3))};
  node left = grow(random, depth - 1), right = grow(random, depth - 1);
  if (random() % 2) return std::make_unique<sum>(std::move(left), std::move(right));
  return std::make_unique<product>(std::move(left), std::move(right));
}

// A distinct type for each I, so that every container below is instantiated for each I.
template <int I>
struct key {
  int value;
  auto operator<=>(const key&) const = default;
};

template <int I>
long exercise(std::minstd_rand& random) {
  std::map<key<I>, std::vector<std::string>> table;
  std::set<std::tuple<key<I>, std::string>> seen;
  for (int i = 0; i < 200; ++i) {
    key<I> k{int(random() % 64)};
    table[k].push_back(std::to_string(random() % 1000 + I));
    seen.emplace(k, table[k].back());
  }
  for (auto& [k, words] : table) std::ranges::sort(words, std::greater<>{}, &std::string::size);
  auto lengths = table | std::views::values |
                 std::views::transform([](const auto& words) { return long(words.size()); });
  return std::accumulate(lengths.begin(), lengths.end(), 0L) + long(seen.size());
}

template <int... I>
std::vector<long> exercise_all(std::integer_sequence<int, I...>, std::minstd_rand& random) {
  return {exercise<I>(random)...};
}

}  // namespace

int main() {
  std::minstd_rand random{7};
  const scope names{{"a", 3}, {"b", 5}, {"c", 8}};
  std::cout << "expression " << evaluate(grow(random, 14), names) << '\n';
  for (long value : exercise_all(std::make_integer_sequence<int, 8>{}, random))
    std::cout << value << ' ';
  std::string line = "size=64 align=16 size=4096 align=64";
  const std::regex field{R"((\w+)=(\d+))"};
  std::unordered_map<std::string, long> totals;
  for (std::sregex_iterator match{line.begin(), line.end(), field}, end; match != end; ++match)
    totals[(*match)[1]] += std::stol((*match)[2]);
  auto later = std::async(std::launch::async, [&] { return totals.at("size"); });
  std::cout << '\n' << later.get() << ' ' << totals.at("align") << '\n';
}
