/* A host that closes a plugin while a thread that allocated in the plugin still runs. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

static void* plugin;

static void* use_and_close(void* allocated) {
  void* (*allocate)(void) = (void* (*)(void))dlsym(plugin, "plugin_allocate");
  *(void**)allocated = allocate == NULL ? NULL : allocate();
  dlclose(plugin);
  return NULL; /* the end of the thread now calls the heap */
}

int main(int argc, char** argv) {
  void* allocated = NULL;
  pthread_t thread;
  plugin = dlopen(argc > 1 ? argv[1] : "", RTLD_NOW);
  if (plugin == NULL) return fprintf(stderr, "%s\n", dlerror()), 1;
  if (pthread_create(&thread, NULL, use_and_close, &allocated) != 0) return 1;
  pthread_join(thread, NULL);
  return allocated == NULL;
}
