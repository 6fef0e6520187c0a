// A parser's tree in an arena. Nodes are never freed one by one, and a checkpoint frees the nodes
// of a failed attempt.
#include <cctype>
#include <cstdio>
#include <string_view>

#include "heapsmith/arena.hpp"

namespace {

struct node {
  char operation;  // '#' for a number
  long value;
  const node* left;
  const node* right;
};

/// expression = term { ("+" | "-") term }, term = factor { "*" factor },
/// factor = number | "(" expression ")".
class parser {
 public:
  parser(heapsmith::arena<>& memory, std::string_view text) : memory_(memory), text_(text) {}

  /// Returns: the tree, or nullptr. After nullptr the arena is unchanged.
  const node* parse() {
    const heapsmith::arena_checkpoint start = memory_.checkpoint();
    const node* tree = expression();
    if (tree != nullptr && text_.empty()) return tree;
    memory_.rewind(start);
    return nullptr;
  }

 private:
  const node* make(char operation, long value, const node* left, const node* right) {
    return ::new (memory_.allocate(sizeof(node), alignof(node)))
        node{operation, value, left, right};
  }

  bool accept(char c) {
    if (text_.empty() || text_.front() != c) return false;
    text_.remove_prefix(1);
    return true;
  }

  const node* expression() {
    const node* left = term();
    while (left != nullptr) {
      const char operation = accept('+') ? '+' : accept('-') ? '-' : 0;
      if (operation == 0) break;
      const node* right = term();
      left = right == nullptr ? nullptr : make(operation, 0, left, right);
    }
    return left;
  }

  const node* term() {
    const node* left = factor();
    while (left != nullptr && accept('*')) {
      const node* right = factor();
      left = right == nullptr ? nullptr : make('*', 0, left, right);
    }
    return left;
  }

  const node* factor() {
    if (accept('(')) {
      const node* inner = expression();
      return inner != nullptr && accept(')') ? inner : nullptr;
    }
    if (text_.empty() || !std::isdigit(static_cast<unsigned char>(text_.front()))) return nullptr;
    long value = 0;
    for (; !text_.empty() && std::isdigit(static_cast<unsigned char>(text_.front()));
         text_.remove_prefix(1))
      value = value * 10 + (text_.front() - '0');
    return make('#', value, nullptr, nullptr);
  }

  heapsmith::arena<>& memory_;
  std::string_view text_;
};

long evaluate(const node& n) {
  switch (n.operation) {
    case '+':
      return evaluate(*n.left) + evaluate(*n.right);
    case '-':
      return evaluate(*n.left) - evaluate(*n.right);
    case '*':
      return evaluate(*n.left) * evaluate(*n.right);
    default:
      return n.value;
  }
}

}  // namespace

int main() {
  heapsmith::arena memory;
  for (const std::string_view text : {"1+2*3", "(1+2)*3-4", "2*(3", "1000*1000"}) {
    const node* tree = parser(memory, text).parse();
    std::printf("%.*s = ", static_cast<int>(text.size()), text.data());
    if (tree != nullptr) std::printf("%ld", evaluate(*tree));
    std::printf("%s, %zu nodes\n", tree != nullptr ? "" : "?",
                memory.stats().used_bytes / sizeof(node));
  }
}
