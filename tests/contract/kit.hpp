// What the contract suite must know of a resource to test it.
#pragma once

namespace heapsmith::contract {

/// How the suite makes a resource and takes its memory away.
///
///   name                     as it appears in the names of the tests
///   R make()                 a resource to test
///   scarcity                 while an object of it lives, the resource can hand out little more;
///                            false when that cannot be arranged here
///   largest                  blocks up to this size must be served
///   refused                  a size that no upstream has, or 0 when there is none
///   reuses                   a freed block's memory serves the next one soon
template <class R>
struct kit;

}  // namespace heapsmith::contract
