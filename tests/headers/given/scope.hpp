// Declarations that the examples of scope.hpp use.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heapsmith/scope.hpp"

namespace {

struct particle {
  explicit particle(float at) : trace{at} {}
  std::vector<float> trace;
};
constexpr float position = 0;
constexpr std::size_t count = 100;

struct node {
  explicit node(const char* name) : name(name) {}
  node(const char* name, node& child) : name(name) { add(child); }
  void add(node& child) { children.push_back(&child); }
  std::string name;
  std::vector<node*> children;
};
heapsmith::arena memory;
heapsmith::arena other;
heapsmith::scope s(other);
node root("root");

}  // namespace
