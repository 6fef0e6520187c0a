// Workload tiny-objects: symbolic algebra; trees of small nodes are built, rewritten and freed.
//
// Idea: allocation-bound C programs such as cfrac and espresso, by which allocators have been
// judged since Zorn and Grunwald, "Evaluating models of memory allocation", TOMACS 1994, and
// Berger, Zorn and McKinley, "Reconsidering custom memory allocation", OOPSLA 2002. Differentiating
// random expressions makes subtrees shared; simplifying copies them. Results live until random
// others replace them.

#include <new>

#include "workload.hpp"

namespace {

constexpr unsigned widest = 8;          // arguments of one node
constexpr unsigned stored_count = 300;  // results alive at a time
constexpr unsigned depth = 6;
constexpr double round_count = 22e3;

enum class kind : std::uint8_t { constant, variable, sum, product };

// A node is this header, followed by `width` words: arguments or one number.
struct node {
  std::uint32_t references;
  std::uint16_t seal;
  kind what;
  std::uint8_t width;

  bool is_leaf() const { return what == kind::constant || what == kind::variable; }
  node*& argument(unsigned i) { return reinterpret_cast<node**>(this + 1)[i]; }
  std::uint64_t& word(unsigned i) { return reinterpret_cast<std::uint64_t*>(this + 1)[i]; }
  std::uint64_t& number() { return word(0); }

  // Binds a node to its address, its shape and all its words: a block that overlaps breaks the
  // seal.
  std::uint16_t expected_seal() {
    std::uint64_t tie = reinterpret_cast<std::uintptr_t>(this) + static_cast<unsigned>(what);
    for (unsigned i = 0; i < width; ++i) tie = tie * 3 + word(i);
    return static_cast<std::uint16_t>((tie * 0x9e3779b97f4a7c15u) >> 48);
  }

  void close() { seal = expected_seal(); }

  void verify() {
    if (seal != expected_seal()) lab::fail("a node changed while it was in use");
  }
};

// A node without words yet. The caller fills them in, and close() then seals the node.
node* open_node(kind what, unsigned width) {
  void* block = ::operator new(sizeof(node) + width * sizeof(std::uint64_t));
  return new (block) node{1, 0, what, static_cast<std::uint8_t>(width)};
}

node* make_leaf(kind what, std::uint64_t number) {
  node* made = open_node(what, 1);
  made->number() = number;
  made->close();
  return made;
}

node* retain(node* shared) {
  ++shared->references;
  return shared;
}

// Returns the freed nodes' contribution to the checksum.
std::uint64_t release(node* tree) {
  if (--tree->references != 0) return 0;
  tree->verify();
  std::uint64_t sum = static_cast<unsigned>(tree->what) * 0x10001u + tree->width;
  if (tree->is_leaf()) {
    sum += tree->number() << 40;
  } else {
    for (unsigned i = 0; i < tree->width; ++i) sum += release(tree->argument(i));
  }
  ::operator delete(tree);
  return sum;
}

// The textbook rules without simplification. Unchanged subtrees become shared.
node* differentiate(node* tree) {
  tree->verify();
  if (tree->what == kind::constant) return make_leaf(kind::constant, 0);
  if (tree->what == kind::variable) return make_leaf(kind::constant, tree->number() == 0 ? 1 : 0);
  node* result = open_node(kind::sum, tree->width);
  for (unsigned i = 0; i < tree->width; ++i) {
    node* part = differentiate(tree->argument(i));
    if (tree->what == kind::product) {
      node* term = open_node(kind::product, tree->width);
      for (unsigned k = 0; k < tree->width; ++k) {
        term->argument(k) = k == i ? part : retain(tree->argument(k));
      }
      term->close();
      part = term;
    }
    result->argument(i) = part;
  }
  result->close();
  return result;
}

std::uint64_t neutral(kind what) {
  return what == kind::sum ? 0 : 1;
}

// Collects the simplified arguments of a sum or product. It folds constants into one number, and
// flattens nested sums of a sum (products of a product) while there is room.
struct collector {
  const kind what;
  std::uint64_t folded;
  unsigned count = 0;
  node* terms[widest];

  explicit collector(kind of) : what(of), folded(neutral(of)) {}

  // Keeps `room` entries free for later arguments.
  void take(node* term, unsigned room) {
    if (term->what != what || count + term->width + room > widest) return add(term);
    for (unsigned i = 0; i < term->width; ++i) add(retain(term->argument(i)));
    release(term);
  }

  void add(node* term) {
    if (term->what == kind::constant) {
      folded = what == kind::sum ? folded + term->number() : folded * term->number();
      release(term);
    } else {
      terms[count++] = term;
    }
  }
};

// Rewrites a tree into a new one, including its leaves.
node* simplify(node* tree) {
  tree->verify();
  if (tree->is_leaf()) return make_leaf(tree->what, tree->number());
  collector found(tree->what);
  for (unsigned i = 0; i < tree->width; ++i) {
    // Each later argument needs an entry. The folded constant needs one, too.
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
  node* made = open_node(tree->what, found.count);
  for (unsigned i = 0; i < found.count; ++i) made->argument(i) = found.terms[i];
  made->close();
  return made;
}

node* build(lab::random_source& random, unsigned levels) {
  const std::uint32_t choice = random.below(16);
  if (levels == 0 || choice < 2) {
    return make_leaf(choice % 4 == 0 ? kind::constant : kind::variable, random.below(4));
  }
  node* made = open_node(choice % 2 == 0 ? kind::sum : kind::product, choice < 14 ? 2 : 3);
  for (unsigned i = 0; i < made->width; ++i) made->argument(i) = build(random, levels - 1);
  made->close();
  return made;
}

std::uint64_t run(std::uint64_t rounds) {
  lab::random_source random(0);
  std::vector<node*> stored(stored_count);
  std::uint64_t sum = 0;
  for (; rounds != 0; --rounds) {
    node* original = build(random, depth);
    node* derivative = differentiate(original);
    sum += release(original);
    node*& slot = stored[random.below(stored_count)];
    if (slot != nullptr) sum += release(slot);
    slot = simplify(derivative);
    sum += release(derivative);
  }
  for (node* each : stored) {
    if (each != nullptr) sum += release(each);
  }
  return sum;
}

}  // namespace

int main(int argc, char** argv) {
  const auto options = lab::parse_options(argc, argv);
  if (options.threads != 1) lab::fail("this program works with one thread");
  return lab::finish(run(options.scaled(round_count)));
}
