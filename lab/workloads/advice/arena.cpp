// advice-arena: a parser builds the tree of a document from nodes of mixed sizes, walks it, and
// frees all nodes, level by level. No node outlives its document, so that the advice "use an arena"
// is right. A scope for each call does not fit: the tree outlives the calls that build it.
//
// advice-arena-kept must not get the advice. The same line makes the same nodes, but a cache keeps
// some nodes of each document until random later ones replace them. The number of living nodes is
// never zero, so an arena would grow as long as the program runs.

#include "heapsmith/arena.hpp"
#include "advice.hpp"

namespace {

using lab::advice::hidden;
using lab::advice::is_counterpart;

constexpr double document_count = 4400;
constexpr unsigned text_count = 8;
constexpr std::uint32_t nodes_per_document = 1000;
constexpr std::uint32_t longest_text = 256;
constexpr unsigned cached_count = 2000;
constexpr unsigned one_cached_in = 16;

// A node with its text behind it.
struct node {
  node* first;
  node* next;
  std::uint32_t length;

  char* text() { return reinterpret_cast<char*>(this + 1); }
};

// Writes a node as "(text child child …)".
void write_node(std::vector<char>& out, lab::random_source& random, unsigned& left,
                unsigned levels) {
  --left;
  out.push_back('(');
  // Half of the texts are short. The others are up to 16 times as long.
  std::uint32_t length = 1 + random.below(16);
  length <<= random.below(2) * random.below(5);
  for (; length != 0; --length) out.push_back(static_cast<char>('a' + random.below(26)));
  std::uint32_t children = levels == 0 ? 0 : random.below(2 * levels);
  for (; children != 0 && left != 0; --children) write_node(out, random, left, levels - 1);
  out.push_back(')');
}

std::vector<char> make_text(unsigned number) {
  lab::random_source random(number);
  std::vector<char> text;
  text.reserve(nodes_per_document * std::size_t{longest_text});
  unsigned left = nodes_per_document;
  text.push_back('(');
  while (left != 0) write_node(text, random, left, 6);
  text.push_back(')');
  return text;
}

template <bool Advised>
class parser {
 public:
  parser() : order_(nodes_per_document + 1) {}

  void take_document(const std::vector<char>& text) {
    at_ = text.data();
    walk(parse());
    if constexpr (Advised) {
      memory_.reset();
    } else {
      for (std::size_t i = 0; i < count_; ++i) end_node(order_[i]);
    }
  }

  // Frees the cached nodes. Returns the checksum.
  std::uint64_t finish() {
    for (node* each : cached_) {
      if (each != nullptr) drop(each);
    }
    return sum_;
  }

 private:
  // The text at `at_` begins with "(".
  node* parse() {
    const char* const begin = ++at_;
    while (*at_ >= 'a') ++at_;
    node* const made = make_node(begin, static_cast<std::uint32_t>(at_ - begin));
    node** last = &made->first;
    while (*at_ == '(') {
      *last = parse();
      last = &(*last)->next;
    }
    ++at_;  // ")"
    return made;
  }

  // Not inlined, so that the program has one call of malloc for all nodes.
  [[gnu::noinline]] node* make_node(const char* text, std::uint32_t length) {
    const std::size_t bytes = sizeof(node) + length;
    void* block;
    if constexpr (Advised)
      block = memory_.allocate(bytes, alignof(node));
    else
      block = std::malloc(bytes);
    node* const made = new (hidden(block)) node{nullptr, nullptr, length};
    std::memcpy(made->text(), text, length);
    return made;
  }

  // Visits all nodes, level by level, and notes their order.
  void walk(node* root) {
    order_[0] = root;
    count_ = 1;
    for (std::size_t i = 0; i < count_; ++i) {
      node* const each = order_[i];
      sum_ = sum_ * 31 + each->length;
      for (std::uint32_t k = 0; k < each->length; ++k) {
        sum_ += static_cast<unsigned char>(each->text()[k]) * k;
      }
      for (node* child = each->first; child != nullptr; child = child->next) {
        order_[count_++] = child;
      }
    }
  }

  void end_node(node* old) {
    if (is_counterpart && random_.below(one_cached_in) == 0) {
      node*& slot = cached_[random_.below(cached_count)];
      if (slot != nullptr) drop(slot);
      slot = old;
    } else {
      std::free(old);
    }
  }

  void drop(node* old) {
    sum_ = sum_ * 3 + old->length;
    std::free(old);
  }

  const char* at_ = nullptr;
  std::vector<node*> order_;
  std::size_t count_ = 0;
  std::uint64_t sum_ = 0;
  heapsmith::arena<> memory_;
  lab::random_source random_{0};
  node* cached_[cached_count] = {};
};

}  // namespace

int main(int argc, char** argv) {
  return lab::advice::demonstrate(argc, argv, document_count,
                                  [](auto advised, std::uint64_t documents) {
                                    std::vector<char> texts[text_count];
                                    for (unsigned i = 0; i < text_count; ++i)
                                      texts[i] = make_text(i);
                                    parser<advised> reader;
                                    for (; documents != 0; --documents)
                                      reader.take_document(texts[documents % text_count]);
                                    return reader.finish();
                                  });
}
