/* o1heap with calls named as those of the others. Its control data begins the memory it serves. */
#include "o1heap.c"

unsigned char o1heap_control[INSTANCE_SIZE_PADDED] = {1};

void o1heap_new(void* control) {
  (void)control;
}
void o1heap_init(void* control, void* memory, size_t bytes) {
  o1heapInit(control, bytes + (size_t)((char*)memory - (char*)control));
}
void* o1heap_malloc(void* control, size_t bytes) {
  return o1heapAllocate(control, bytes);
}
void o1heap_free(void* control, void* p) {
  o1heapFree(control, p);
}
