// Declarations that the examples of containers/list.hpp use.
#pragma once

namespace {

int seen = 0;
void use(int value) {
  seen += value;
}

}  // namespace
