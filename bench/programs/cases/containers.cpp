// Input for a compiler: containers, algorithms and strings, and with WHOLE regular expressions.
#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <variant>
#include <vector>

#ifdef WHOLE
#include <regex>
#include <sstream>
#include <unordered_map>
#endif

namespace {

template <int N>
struct shape {
  std::map<int, std::vector<std::string>> rows;
  std::set<std::pair<int, std::string>> keys;

  int fill() {
    for (int i = 0; i < N; ++i) {
      rows[i % 7].push_back(std::to_string(i * N));
      keys.emplace(i % 5, std::to_string(i));
    }
    std::vector<std::variant<int, std::string>> mixed;
    for (const auto& [key, texts] : rows) {
      for (const std::string& text : texts) mixed.emplace_back(text + std::to_string(key));
    }
    std::sort(mixed.begin(), mixed.end(), std::greater<>());
    const auto long_enough = [](const auto& entry) {
      const std::string* text = std::get_if<std::string>(&entry);
      return text != nullptr && text->size() > N % 3;
    };
    return static_cast<int>(std::count_if(mixed.begin(), mixed.end(), long_enough));
  }
};

template <int N>
int fill_all() {
  if constexpr (N == 0) {
    return 0;
  } else {
    return shape<N>().fill() + fill_all<N - 1>();
  }
}

}  // namespace

int main() {
#ifdef WHOLE
  std::unordered_map<std::string, std::function<int()>> steps;
  steps["fill"] = fill_all<5>;
  std::ostringstream out;
  for (const auto& [name, step] : steps) out << name << '=' << step() << ';';
  const std::string text = std::regex_replace(out.str(), std::regex("[a-f]+(\\d*)"), "<$1>");
  std::printf("%s\n", text.c_str());
#else
  std::printf("%d\n", fill_all<2>());
#endif
}
