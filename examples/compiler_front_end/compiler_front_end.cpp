// The front end of a compiler: lexer, parser and constant folding, over a tree in an arena. No node
// is freed alone, and the next unit uses the memory of the last one.
#include <cctype>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heapsmith/arena.hpp"
#include "measured.hpp"

namespace {

/// A node of the tree; `Form` says how nodes refer to each other. Names lie in the source.
template <class Form>
struct node {
  char kind;  // '#' number, 'a' name, '(' call, or an operator
  std::uint64_t value = 0;
  std::string_view name;
  typename Form::pointer left = nullptr, right = nullptr;  // of a call: left is the first argument
  typename Form::pointer next = nullptr;                   // the next argument of the same call
};

// To copy: nodes are plain structures in an arena, and nobody owns them.
struct heapsmith_form {
  using pointer = node<heapsmith_form>*;
  heapsmith::arena<> memory;

  pointer make(char kind, std::uint64_t value, std::string_view name, pointer left = {},
               pointer right = {}) {
    return &memory.make<node<heapsmith_form>>(node<heapsmith_form>{kind, value, name, left, right});
  }

  /// Ends all trees. The arena keeps its memory for the next unit.
  void end_unit() { memory.reset(); }
};

// The same with the standard library: each node owns those that it refers to.
struct std_form {
  using pointer = std::unique_ptr<node<std_form>>;

  static pointer make(char kind, std::uint64_t value, std::string_view name, pointer left = {},
                      pointer right = {}) {
    return std::make_unique<node<std_form>>(
        node<std_form>{kind, value, name, std::move(left), std::move(right)});
  }
  static void end_unit() {}
};

/// unit = { name "=" sum ";" }, sum = product { ("+" | "-") product },
/// product = factor { "*" factor }, factor = number | name [ "(" sum { "," sum } ")" ] | "(" sum
/// ")".
template <class Form>
class parser {
  using pointer = typename Form::pointer;

 public:
  parser(Form& form, std::string_view text) : form_(form), text_(text) { advance(); }

  /// Effects: calls `define(expression)` for each definition of the unit.
  template <class Define>
  void unit(Define define) {
    while (kind_ != 0) {
      expect('a');
      expect('=');
      define(sum());
      expect(';');
    }
  }

 private:
  /// The lexer: one token ahead.
  void advance() {
    while (!text_.empty() && text_.front() == ' ') text_.remove_prefix(1);
    std::size_t length = text_.empty() ? 0 : 1;
    kind_ = text_.empty() ? '\0' : text_.front();
    const auto is_part = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
    if (is_part(kind_)) {
      while (length < text_.size() && is_part(text_[length])) ++length;
      kind_ = kind_ <= '9' ? '#' : 'a';
    }
    token_ = text_.substr(0, length);
    text_.remove_prefix(length);
  }
  bool accept(char kind) {
    if (kind_ != kind) return false;
    advance();
    return true;
  }
  void expect(char kind) { bench::expect(accept(kind), "syntax error"); }

  pointer sum() {
    pointer left = product();
    while (kind_ == '+' || kind_ == '-') {
      const char operation = kind_;
      advance();
      left = form_.make(operation, 0, {}, std::move(left), product());
    }
    return left;
  }

  pointer product() {
    pointer left = factor();
    while (accept('*')) left = form_.make('*', 0, {}, std::move(left), factor());
    return left;
  }

  pointer factor() {
    if (accept('(')) {
      pointer inner = sum();
      expect(')');
      return inner;
    }
    const std::string_view token = token_;
    if (accept('#')) {
      std::uint64_t value = 0;
      for (const char digit : token) value = value * 10 + static_cast<unsigned char>(digit - '0');
      return form_.make('#', value, {});
    }
    expect('a');
    if (!accept('(')) return form_.make('a', 0, token);
    pointer call = form_.make('(', 0, token);
    pointer* end = &call->left;
    do end = &(*end = sum())->next;
    while (accept(','));
    expect(')');
    return call;
  }

  Form& form_;
  std::string_view text_, token_;
  char kind_ = 0;
};

/// Effects: replaces operations on numbers by their results. Returns: how many.
template <class Form>
std::uint64_t fold(node<Form>& n) {
  std::uint64_t count = 0;
  for (const auto* child : {&n.left, &n.right, &n.next})
    if (*child != nullptr) count += fold(**child);
  if (n.right == nullptr || n.left->kind != '#' || n.right->kind != '#') return count;
  const std::uint64_t a = n.left->value, b = n.right->value;
  n.value = n.kind == '+' ? a + b : n.kind == '-' ? a - b : a * b;
  n.kind = '#';
  n.left = nullptr;
  n.right = nullptr;
  return count + 1;
}

/// Returns: a number that depends on every node that is left.
template <class Form>
std::uint64_t checksum(const node<Form>& n) {
  std::uint64_t sum = static_cast<unsigned char>(n.kind) + n.value + n.name.size();
  for (const auto* child : {&n.left, &n.right, &n.next})
    if (*child != nullptr) sum = sum * 31 + checksum(**child);
  return sum;
}

std::string source() {
  std::string text;
  for (int i = 0; i < 2000; ++i) {
    const std::string n = std::to_string(i);
    text += "f" + n + " = (" + n + " + 2 * 3) * x - g(y, 4 * (5 - 2), h(z)) + " + n + " * 7;  ";
  }
  return text;
}

template <class Form>
example::results compile(std::size_t units) {
  const std::string text = source();
  Form form;
  std::uint64_t definitions = 0, folded = 0, sum = 0;
  for (std::size_t i = 0; i < units; ++i) {
    std::vector<typename Form::pointer> unit;
    parser<Form>(form, text).unit([&](auto tree) { unit.push_back(std::move(tree)); });
    for (const auto& tree : unit) {
      folded += fold(*tree);
      sum += checksum(*tree);
    }
    definitions += unit.size();
    unit.clear();
    form.end_unit();
  }
  return {{"definitions", definitions}, {"operations folded", folded}, {"checksum", sum}};
}

}  // namespace

int main(int argc, char** argv) {
  return example::main<compile<std_form>, compile<heapsmith_form>, example::sizes{300, 3}>(
      "compiler-front-end", argc, argv);
}
