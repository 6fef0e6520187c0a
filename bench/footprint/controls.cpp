// One object for each configuration. The symbols of its object file have the sizes of control data.
#include <heapsmith/offset_region.h>
#include <heapsmith/region.h>
#include <heapsmith/small_region.h>

#if __STDC_HOSTED__
#include <heapsmith/concurrent_region.hpp>
#include <heapsmith/decorators.hpp>
#include <heapsmith/small_region.hpp>

heapsmith::region region;
heapsmith::small_region small_region;
heapsmith::synchronized_region synchronized_region;
heapsmith::synchronized<heapsmith::small_region> synchronized_small_region;
heapsmith::concurrent_region concurrent_region;
heapsmith::small_concurrent_region small_concurrent_region;
#endif

extern "C" {
hs_offset_region offset_region;
hs_region hs_region_control;
hs_small_region hs_small_region_control;
}
