// The functions of Windows that headers call. <windows.h> would give every user its macros, such as
// min and max.
#pragma once

#if defined(_WIN32)

extern "C" {

struct _RTL_SRWLOCK;  // of <windows.h>, which may be included, too

__declspec(dllimport) void __stdcall AcquireSRWLockExclusive(_RTL_SRWLOCK* lock);
__declspec(dllimport) void __stdcall ReleaseSRWLockExclusive(_RTL_SRWLOCK* lock);
__declspec(dllimport) int __stdcall SwitchToThread();
__declspec(dllimport) void __stdcall Sleep(unsigned long ms);

}  // extern "C"

#endif
