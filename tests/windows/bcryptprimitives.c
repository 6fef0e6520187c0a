// The one function of Windows' bcryptprimitives.dll that Rust's standard library calls. Wine 8
// lacks the library.
#include <windows.h>

#define RtlGenRandom SystemFunction036
BOOLEAN NTAPI RtlGenRandom(void* out, ULONG bytes);

__declspec(dllexport) BOOL WINAPI ProcessPrng(unsigned char* out, size_t bytes) {
  while (bytes > 0) {
    const ULONG most = bytes < 1 << 20 ? (ULONG)bytes : 1 << 20;
    if (!RtlGenRandom(out, most)) return FALSE;
    out += most;
    bytes -= most;
  }
  return TRUE;
}
