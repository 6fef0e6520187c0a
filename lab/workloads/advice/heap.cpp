// advice-heap: an editor opens a document of lines with mixed sizes, replaces lines for a while,
// and closes the document with all its lines. An arena would keep all replaced lines until then; a
// heap reuses their memory, and ends the lines that are left at once. The advice "use a heap" is
// right.
//
// advice-heap-kept must not get the advice. The same line of code makes the same lines of text, but
// documents overlap: when one is closed, its lines end one by one while the next ones are opened.
// There is no moment at which all lines end.

#include "heapsmith/heap.hpp"
#include "advice.hpp"

namespace {

using lab::advice::hidden;
using lab::advice::is_counterpart;

constexpr double document_count = 30;
constexpr std::uint32_t line_count = 40'000;
constexpr std::uint32_t edit_count = 2 * line_count;
constexpr std::uint32_t shortest = 24;
constexpr std::uint32_t lengths = 400;

struct line {
  std::uint32_t length;
  std::uint32_t sum;

  char* text() { return reinterpret_cast<char*>(this + 1); }
};

template <bool Advised>
class editor {
 public:
  editor() : lines_(line_count) {}

  void take_document() {
    for (line*& each : lines_) open_line(each);
    for (std::uint32_t i = 0; i < edit_count; ++i) replace(lines_[random_.below(line_count)]);
    for (const line* each : lines_) checksum_ = checksum_ * 31 + each->sum;
    if constexpr (!is_counterpart) close();
  }

  // Ends the lines that are left. Returns the checksum.
  std::uint64_t finish() {
    close();
    return checksum_;
  }

 private:
  void open_line(line*& slot) {
    if (slot == nullptr)
      slot = make_line();
    else
      replace(slot);
  }

  void replace(line*& slot) {
    checksum_ += slot->sum;
    if constexpr (Advised)
      memory_.deallocate(slot);
    else
      std::free(slot);
    slot = make_line();
  }

  // Not inlined, so that the program has one call of malloc for all lines.
  [[gnu::noinline]] line* make_line() {
    const std::uint64_t word = random_.word();
    const std::uint32_t length = shortest + static_cast<std::uint32_t>(word >> 40) % lengths;
    const std::size_t bytes = sizeof(line) + length;
    void* block;
    if constexpr (Advised)
      block = memory_.allocate(bytes);
    else
      block = std::malloc(bytes);
    line* const made = new (hidden(block)) line{length, static_cast<std::uint32_t>(word)};
    std::memset(made->text(), static_cast<char>(word), length);
    return made;
  }

  void close() {
    if constexpr (Advised) {
      memory_.reset();
    } else {
      for (line* each : lines_) std::free(each);
    }
    lines_.assign(line_count, nullptr);
  }

  std::vector<line*> lines_;
  lab::random_source random_{0};
  std::conditional_t<Advised, heapsmith::heap, int> memory_{};
  std::uint64_t checksum_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  return lab::advice::demonstrate(argc, argv, document_count,
                                  [](auto advised, std::uint64_t documents) {
                                    editor<advised> work;
                                    for (; documents != 0; --documents) work.take_document();
                                    return work.finish();
                                  });
}
