// Tells clang that a result must not outlive the object that returned it.
#pragma once

#if defined(__has_cpp_attribute)
#if __has_cpp_attribute(clang::lifetimebound)
#define HS_LIFETIMEBOUND [[clang::lifetimebound]]
#endif
#endif

#if !defined(HS_LIFETIMEBOUND)
#define HS_LIFETIMEBOUND
#endif
