// advice-buffer: a tokenizer makes a small key for each word, hashes it and frees it at once.
// Nearly all keys fit into a buffer on the stack, so that the advice "use a buffer" is right.
//
// advice-buffer-kept must not get the advice. The same line makes the same keys, but one key in
// eight stays in a table for long. A buffer on the stack ends with the call, so the table would
// point at memory that is gone. A copy for the table would be a second block of the same kind.

#include "advice.hpp"

namespace {

using lab::advice::hidden;
using lab::advice::is_counterpart;

constexpr double text_count = 2000;
constexpr std::uint32_t text_bytes = 64 << 10;
constexpr std::size_t room_bytes = 64;
constexpr unsigned shortest_word = 2;
constexpr unsigned word_lengths = 14;
constexpr unsigned one_long_word_in = 256;  // such a word does not fit into the buffer
constexpr unsigned counter_bits = 12;
constexpr unsigned kept_count = 1024;

// Words of upper and lower case, with a blank after each.
std::vector<char> make_text() {
  lab::random_source random(0);
  std::vector<char> text;
  text.reserve(text_bytes + 4 * room_bytes);
  while (text.size() < text_bytes) {
    std::uint32_t length = shortest_word + random.below(word_lengths);
    if (random.below(one_long_word_in) == 0) length += room_bytes + random.below(room_bytes);
    for (; length != 0; --length) {
      const char first = random.below(2) == 0 ? 'a' : 'A';
      text.push_back(static_cast<char>(first + static_cast<char>(random.below(26))));
    }
    text.push_back(' ');
  }
  return text;
}

class tokenizer {
 public:
  template <bool Advised>
  void take_text(const std::vector<char>& text) {
    const char* word = text.data();
    const char* const end = word + text.size();
    for (const char* at = word; at != end; ++at) {
      if (*at != ' ') continue;
      take_word<Advised>(word, static_cast<std::size_t>(at - word));
      word = at + 1;
    }
  }

  // Frees the kept keys. Returns the checksum.
  std::uint64_t finish() {
    for (char*& key : kept_) {
      if (key != nullptr) drop(key);
    }
    for (const std::uint64_t count : counts_) sum_ = lab::mix(sum_ + count);
    return sum_;
  }

 private:
  template <bool Advised>
  void take_word(const char* word, std::size_t length) {
    char room[room_bytes];
    const bool fits = Advised && length <= room_bytes;
    char* const key = hidden(fits ? room : static_cast<char*>(std::malloc(length)));
    for (std::size_t i = 0; i < length; ++i) key[i] = static_cast<char>(word[i] | 0x20);
    const std::uint64_t hash = hash_of(key, length);
    ++counts_[hash >> (64 - counter_bits)];
    if (is_counterpart && hash % 8 == 0) {
      char*& slot = kept_[(hash >> 8) % kept_count];
      if (slot != nullptr) drop(slot);
      slot = key;
    } else if (!fits) {
      std::free(key);
    }
  }

  static std::uint64_t hash_of(const char* key, std::size_t length) {
    std::uint64_t hash = length;
    for (std::size_t i = 0; i < length; ++i) {
      hash = (hash ^ static_cast<unsigned char>(key[i])) * 0x9e3779b97f4a7c15u;
    }
    return hash ^ (hash >> 32);
  }

  void drop(char* key) {
    sum_ = sum_ * 3 + static_cast<unsigned char>(key[0]);
    std::free(key);
  }

  std::uint64_t counts_[1u << counter_bits] = {};
  char* kept_[kept_count] = {};
  std::uint64_t sum_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  return lab::advice::demonstrate(argc, argv, text_count, [](auto advised, std::uint64_t texts) {
    const std::vector<char> text = make_text();
    tokenizer words;
    for (; texts != 0; --texts) words.take_text<advised>(text);
    return words.finish();
  });
}
