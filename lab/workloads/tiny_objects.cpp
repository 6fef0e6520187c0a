// Workload tiny-objects: symbolic algebra; trees of small nodes are built, rewritten and freed.
//
// Idea: the allocation-bound C programs, cfrac, espresso and others of symbolic work, on which
// allocators have been judged since Zorn and Grunwald, "Evaluating models of memory allocation",
// TOMACS 1994, and Berger, Zorn and McKinley, "Reconsidering custom memory allocation", OOPSLA
// 2002. Random expressions are differentiated, which makes subtrees shared, and simplified, which
// makes them single again. The value of each result is known from forward differentiation.

#include <new>

#include "workload.hpp"

namespace {

constexpr unsigned widest = 8;          // arguments of one node
constexpr unsigned stored_count = 600;  // expressions alive at a time
constexpr unsigned depth = 6;
constexpr double round_count = 22e3;

// All values live in the ring of integers mod 2^64, where the rules of algebra hold exactly.
constexpr std::uint64_t variables[] = {0x1234567890abcdefu, 3, 0xdeadbeef, 0x77777777};
constexpr std::uint64_t derived_variable = 0;

enum class kind : std::uint8_t { constant, variable, sum, product };

// A node is this header and, right behind it, `width` words: arguments or one number.
struct node {
  std::uint32_t references;
  std::uint16_t seal;
  kind what;
  std::uint8_t width;

  node*& argument(unsigned i) { return reinterpret_cast<node**>(this + 1)[i]; }
  std::uint64_t& number() { return *reinterpret_cast<std::uint64_t*>(this + 1); }
  bool is_leaf() const { return what == kind::constant || what == kind::variable; }

  // Another block laid over this one breaks the tie between a node, its place and its shape.
  std::uint16_t expected_seal() const {
    const auto place = reinterpret_cast<std::uintptr_t>(this) >> 4;
    return static_cast<std::uint16_t>(place * 40503 + static_cast<unsigned>(what) * 257 + width);
  }
};

node* make_node(kind what, unsigned width) {
  void* block = ::operator new(sizeof(node) + width * sizeof(std::uint64_t));
  auto* made = new (block) node{1, 0, what, static_cast<std::uint8_t>(width)};
  made->seal = made->expected_seal();
  return made;
}

node* make_leaf(kind what, std::uint64_t number) {
  node* made = make_node(what, 1);
  made->number() = number;
  return made;
}

node* retain(node* shared) {
  ++shared->references;
  return shared;
}

void release(node* tree) {
  if (tree->seal != tree->expected_seal()) lab::fail("a node changed while it was in use");
  if (--tree->references != 0) return;
  if (!tree->is_leaf()) {
    for (unsigned i = 0; i < tree->width; ++i) release(tree->argument(i));
  }
  ::operator delete(tree);
}

std::uint64_t combine(kind what, std::uint64_t a, std::uint64_t b) {
  return what == kind::sum ? a + b : a * b;
}

std::uint64_t neutral(kind what) {
  return what == kind::sum ? 0 : 1;
}

std::uint64_t evaluate(node* tree) {
  if (tree->what == kind::constant) return tree->number();
  if (tree->what == kind::variable) return variables[tree->number()];
  std::uint64_t value = neutral(tree->what);
  for (unsigned i = 0; i < tree->width; ++i) {
    value = combine(tree->what, value, evaluate(tree->argument(i)));
  }
  return value;
}

// The textbook rules with nothing simplified; subtrees that stay as they are become shared.
node* differentiate(node* tree) {
  if (tree->what == kind::constant) return make_leaf(kind::constant, 0);
  if (tree->what == kind::variable) {
    return make_leaf(kind::constant, tree->number() == derived_variable ? 1 : 0);
  }
  node* result = make_node(kind::sum, tree->width);
  for (unsigned i = 0; i < tree->width; ++i) {
    node* part = differentiate(tree->argument(i));
    if (tree->what == kind::product) {
      node* term = make_node(kind::product, tree->width);
      for (unsigned k = 0; k < tree->width; ++k) {
        term->argument(k) = k == i ? part : retain(tree->argument(k));
      }
      part = term;
    }
    result->argument(i) = part;
  }
  return result;
}

// Collects the simplified arguments of a sum or product: constants folded into one number, nested
// sums of a sum (products of a product) taken in as long as there is room.
struct collector {
  const kind what;
  std::uint64_t folded;
  unsigned count = 0;
  node* terms[widest];

  explicit collector(kind of) : what(of), folded(neutral(of)) {}

  // Leaves `room` places for what is still to come.
  void take(node* term, unsigned room) {
    if (term->what != what || count + term->width + room > widest) return add(term);
    for (unsigned i = 0; i < term->width; ++i) add(retain(term->argument(i)));
    release(term);
  }

  void add(node* term) {
    if (term->what == kind::constant) {
      folded = combine(what, folded, term->number());
      release(term);
    } else {
      terms[count++] = term;
    }
  }
};

// Rewrites a tree into a fresh one, leaves included.
node* simplify(node* tree) {
  if (tree->is_leaf()) return make_leaf(tree->what, tree->number());
  collector found(tree->what);
  for (unsigned i = 0; i < tree->width; ++i) {
    // Each argument still to come needs a place, and so does the folded constant.
    found.take(simplify(tree->argument(i)), tree->width - i);
  }
  const bool vanishes = tree->what == kind::product && found.folded == 0;
  if (vanishes || found.count == 0) {
    for (unsigned i = 0; i < found.count; ++i) release(found.terms[i]);
    return make_leaf(kind::constant, found.folded);
  }
  if (found.folded != neutral(tree->what)) {
    found.terms[found.count++] = make_leaf(kind::constant, found.folded);
  }
  if (found.count == 1) return found.terms[0];
  node* made = make_node(tree->what, found.count);
  for (unsigned i = 0; i < found.count; ++i) made->argument(i) = found.terms[i];
  return made;
}

// An expression with its value and that of its derivative, reckoned in numbers alone.
struct expression {
  node* tree;
  std::uint64_t value;
  std::uint64_t slope;
};

class algebra {
 public:
  std::uint64_t run(std::uint64_t rounds) {
    std::uint64_t sum = 0;
    for (; rounds != 0; --rounds) {
      const expression original = build(depth);
      node* raw = differentiate(original.tree);
      auto& slot = stored_[random_.below(stored_count)];
      sum += retire(slot);
      slot = {simplify(raw), original.slope};
      release(raw);
      release(original.tree);
    }
    for (auto& each : stored_) sum += retire(each);
    return sum;
  }

 private:
  struct derivative {
    node* tree = nullptr;
    std::uint64_t value = 0;
  };

  // Nodes are verified one by one as they are released; some trees also as a whole.
  static std::uint64_t retire(derivative& old) {
    if (old.tree == nullptr) return 0;
    const bool chosen = old.value % 8 == 0;
    if (chosen && evaluate(old.tree) != old.value) lab::fail("a derivative has the wrong value");
    const std::uint64_t width = old.tree->width;
    release(old.tree);
    old.tree = nullptr;
    return lab::mix(old.value + width);
  }

  expression build(unsigned levels) {
    const std::uint32_t choice = random_.below(16);
    if (levels == 0 || choice < 2) return build_leaf();
    const kind what = choice % 2 == 0 ? kind::sum : kind::product;
    const unsigned width = choice < 14 ? 2 : 3;
    expression made{make_node(what, width), neutral(what), 0};
    for (unsigned i = 0; i < width; ++i) {
      const expression part = build(levels - 1);
      made.tree->argument(i) = part.tree;
      made.slope = what == kind::sum ? made.slope + part.slope
                                     : made.slope * part.value + made.value * part.slope;
      made.value = combine(what, made.value, part.value);
    }
    return made;
  }

  expression build_leaf() {
    if (random_.below(4) == 0) {
      const std::uint64_t number = random_.below(4);
      return {make_leaf(kind::constant, number), number, 0};
    }
    const std::uint64_t name = random_.below(std::size(variables));
    return {make_leaf(kind::variable, name), variables[name], name == derived_variable ? 1u : 0u};
  }

  lab::random_source random_{0};
  derivative stored_[stored_count];
};

}  // namespace

int main(int argc, char** argv) {
  const auto options = lab::parse_options(argc, argv);
  if (options.threads != 1) lab::fail("this program works with one thread");
  algebra work;
  return lab::finish(work.run(options.scaled(round_count)));
}
