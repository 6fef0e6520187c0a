// Tells clang that a reference lives no longer than what it was got from.
#pragma once

#if defined(__has_cpp_attribute)
#if __has_cpp_attribute(clang::lifetimebound)
#define HS_LIFETIMEBOUND [[clang::lifetimebound]]
#endif
#endif

#if !defined(HS_LIFETIMEBOUND)
#define HS_LIFETIMEBOUND
#endif
