// The subject of a search: a family of heapsmith, or its counterpart of the standard library.
#pragma once

#include <memory>
#include <vector>

#include "growth/search/pattern.hpp"

namespace bench::search {

class subject {
 public:
  virtual ~subject() = default;
  // One step. A step that needs an element and finds none adds one.
  virtual void take(op o) = 0;
  // The elements that live are numbered from 0, in the order in which they came, as far as others
  // were not erased meanwhile: the last one takes the number of an erased one.
  [[nodiscard]] virtual std::size_t size() const = 0;
  virtual void erase(std::size_t number) = 0;
  // Looks at all that lives. False: something is wrong.
  [[nodiscard]] virtual bool check() = 0;
};

// Fills a subject with n elements, and thins it out.
inline void prepare(subject& s, const pattern& p, std::size_t n) {
  while (s.size() < n) s.take(p.fill);
  random draw(n);
  switch (p.thin) {
    case thinning::none:
      return;
    case thinning::every_other:
      // From the end: the element that takes a number is then never one that is still to be looked
      // at.
      for (std::size_t i = n; i >= 2; i -= 2) s.erase(i - 2);
      return;
    case thinning::most:
      for (std::size_t i = n; i-- > 0;)
        if (i % 100 != 0) s.erase(i);
      return;
    case thinning::all_but_ends:
      for (std::size_t i = n - 1; i-- > 1;) s.erase(i);
      return;
    case thinning::old_half:
      for (std::size_t i = n / 2; i-- > 0;) s.erase(i);
      return;
    case thinning::young_half:
      for (std::size_t i = n; i-- > n / 2;) s.erase(i);
      return;
    case thinning::at_random:
      for (std::size_t left = n / 2; left != 0; --left) s.erase(draw.below(s.size()));
      return;
  }
}

struct family {
  const char* name;
  std::vector<op> fills;
  std::vector<op> steps;
  std::unique_ptr<subject> (*own)(const pattern& p, std::size_t n);
  std::unique_ptr<subject> (*standard)(const pattern& p, std::size_t n);
};

}  // namespace bench::search
