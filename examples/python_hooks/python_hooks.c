/* A Python extension that gives the objects of the interpreter a memory of their own, with a limit:
 * a region. Python raises MemoryError when it is full, and the process goes on.
 *
 *   import python_hooks
 *   python_hooks.install(256 << 20)
 *   python_hooks.in_use_bytes()
 *
 * Python calls the hooks of the domains MEM and OBJ while it holds the GIL, so the region needs no
 * lock. The domain RAW is left alone, since any thread may use it. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <sys/mman.h>

#include "heapsmith/region.h"

static hs_region region;

/* The allocator of a domain before install(). The interpreter still has blocks of it, and frees
 * them by the hooks: hs_region_owns() tells whose a block is. */
static PyMemAllocatorEx before_mem, before_obj;

static void* hook_malloc(void* context, size_t size) {
  (void)context;
  return hs_region_malloc(&region, size != 0 ? size : 1);
}

static void* hook_calloc(void* context, size_t count, size_t size) {
  (void)context;
  if (count == 0 || size == 0) count = size = 1;
  return hs_region_calloc(&region, count, size);
}

static void hook_free(void* context, void* p) {
  const PyMemAllocatorEx* const before = context;
  if (hs_region_owns(&region, p))
    hs_region_free(&region, p);
  else
    before->free(before->ctx, p);
}

/* An old block stays where it is: only its allocator knows how much there is to copy. */
static void* hook_realloc(void* context, void* p, size_t size) {
  const PyMemAllocatorEx* const before = context;
  if (p == NULL) return hook_malloc(context, size);
  if (!hs_region_owns(&region, p)) return before->realloc(before->ctx, p, size);
  return hs_region_realloc(&region, p, size != 0 ? size : 1);
}

static void hook(PyMemAllocatorDomain domain, PyMemAllocatorEx* before) {
  PyMem_GetAllocator(domain, before);
  PyMemAllocatorEx hooks = {before, hook_malloc, hook_calloc, hook_realloc, hook_free};
  PyMem_SetAllocator(domain, &hooks);
}

static PyObject* install(PyObject* self, PyObject* limit) {
  (void)self;
  const size_t bytes = PyLong_AsSize_t(limit);
  if (bytes == (size_t)-1 && PyErr_Occurred()) return NULL;
  if (before_obj.malloc != NULL)
    return PyErr_Format(PyExc_RuntimeError, "python_hooks: installed already");
  /* OS pages that no object touches cost nothing. */
  void* const memory =
      mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return PyErr_NoMemory();
  if (hs_region_init(&region, memory, bytes) != 0) {
    munmap(memory, bytes);
    return PyErr_Format(PyExc_ValueError, "python_hooks: %zu bytes are too few", bytes);
  }
  hook(PYMEM_DOMAIN_MEM, &before_mem);
  hook(PYMEM_DOMAIN_OBJ, &before_obj);
  Py_RETURN_NONE;
}

static PyObject* in_use_bytes(PyObject* self, PyObject* none) {
  (void)self, (void)none;
  hs_region_statistics statistics = {.size = sizeof statistics};
  hs_region_stats(&region, &statistics);
  return PyLong_FromSize_t(statistics.in_use_bytes);
}

static PyMethodDef methods[] = {
    {"install", install, METH_O, "Objects made from now on lie in a region of this many bytes."},
    {"in_use_bytes", in_use_bytes, METH_NOARGS, "The bytes that objects take in the region."},
    {NULL, NULL, 0, NULL}};

static PyModuleDef module = {
    .m_base = PyModuleDef_HEAD_INIT, .m_name = "python_hooks", .m_methods = methods};

PyMODINIT_FUNC PyInit_python_hooks(void) {
  return PyModule_Create(&module);
}
