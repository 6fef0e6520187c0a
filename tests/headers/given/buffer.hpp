// Memory for the examples whose resources lie in a buffer.
#pragma once

namespace {

alignas(16) unsigned char buffer[100'000];

}  // namespace
