// Images with any word changed: each is refused, or makes a container that can be walked.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <functional>
#include <vector>

#include "heapsmith/containers/list.hpp"
#include "heapsmith/containers/map.hpp"
#include "heapsmith/containers/set.hpp"

namespace heapsmith {
namespace {

template <class Container>
class DamagedImages : public testing::Test {};
template <class T, class... P>
using narrow_pool = pool<T, policy::index<std::uint8_t>, P...>;
template <class T, class... P>
using handled_pool = pool<T, policy::with_handles, P...>;
template <class T, class... P>
using pieces = pool<T, policy::stable, policy::no_reuse, P...>;
using containers =
    testing::Types<list<int>, list<int, deque_pool>, list<int, soa_deque_pool>,
                   list<int, narrow_pool>, list<int, handled_pool>, list<int, pieces>, set<int>,
                   set<int, std::less<>, deque_pool>, set<int, std::less<>, narrow_pool>,
                   map<int, int>, map<int, int, std::less<>, soa_pool>>;
TYPED_TEST_SUITE(DamagedImages, containers);

template <class C>
constexpr bool is_list = requires(C c) { c.root(); };

template <class C>
void add(C& c, int n) {
  if constexpr (is_list<C>)
    c.push_front(n);
  else if constexpr (requires { typename C::mapped_type; })
    c.insert(n, n);
  else
    c.insert(n);
}

/// Every list that begins at any cell has an end, and every element can be read.
template <class C>
std::size_t walk(const C& c) {
  std::size_t n = 0;
  for (const auto& v : c) n += sizeof(v) != 0;
  if constexpr (is_list<C>)
    for (auto it = c.pool().begin(); it != c.pool().end(); ++it)
      n += c.length(typename C::cell(it.index_of()));
  return n;
}

TYPED_TEST(DamagedImages, AreRefusedOrHarmless) {
  TypeParam c;
  for (int i = 0; i < 14; ++i) add(c, i * 7 % 14);
  if constexpr (is_list<TypeParam>) {
    c.pop_front();
    static_cast<void>(c.cons(1, c.root()));
  } else {
    c.erase(3);
  }
  std::vector<std::byte> image(c.image_bytes());
  c.save(image);
  TypeParam same;
  ASSERT_TRUE(same.load(image));
  EXPECT_EQ(walk(same), walk(c));
  std::size_t refused = 0;
  for (const std::uint32_t bad : {0u, 1u, 3u, 5u, 9u, 13u, 14u, 40u, 0x7ffffff0u, ~0u})
    for (std::size_t width : {1, 4})
      for (std::size_t at = 0; at + width <= image.size(); at += width) {
        auto copy = image;
        std::memcpy(copy.data() + at, &bad, width);
        TypeParam damaged;
        if (!damaged.load(copy)) {
          ++refused;
          EXPECT_TRUE(damaged.empty()) << "nothing has changed";
          continue;
        }
        ASSERT_EQ(damaged.check(), 0);
        walk(damaged);
        add(damaged, 100);
        ASSERT_EQ(damaged.check(), 0);
      }
  EXPECT_GT(refused, 100u);
  for (std::size_t size = 0; size < image.size(); ++size)
    EXPECT_FALSE(same.load(std::span(image).first(size)));
}

}  // namespace
}  // namespace heapsmith
