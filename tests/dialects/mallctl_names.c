/* Prints what mallctl answers for each name that it reads: the type by its length, the value, and
 * the errors of wrong accesses. Linked with jemalloc. */
#include <jemalloc/jemalloc.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static int is_text(const char* name, uint64_t value) {
  static const char* const texts[] = {"config.malloc_conf",
                                      "opt.dss",
                                      "opt.junk",
                                      "opt.metadata_thp",
                                      "opt.percpu_arena",
                                      "opt.prof_prefix",
                                      "opt.prof_time_resolution",
                                      "opt.stats_interval_opts",
                                      "opt.stats_print_opts",
                                      "opt.thp",
                                      "opt.zero_realloc",
                                      "version"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i)
    if (strcmp(name, texts[i]) == 0) return value != 0;
  return 0;
}

static void read_name(const char* name) {
  static const size_t lengths[] = {8, 4, 1};
  int error = 0;
  for (int i = 0; i < 3; ++i) {
    uint64_t value = 0;
    size_t length = lengths[i];
    error = mallctl(name, &value, &length, NULL, 0);
    if (error != 0) continue;
    printf(" type %zu, value ", lengths[i]);
    if (lengths[i] == 8 && is_text(name, value))
      printf("\"%s\"", (const char*)(uintptr_t)value);
    else
      printf("%lld", (long long)value);
    return;
  }
  printf(" error %d", error);
}

int main(void) {
  char name[100];
  while (fgets(name, sizeof name, stdin) != NULL) {
    name[strcspn(name, "\n")] = '\0';
    char odd[3] = {0};
    printf("%s:", name);
    read_name(name);
    printf(", odd write %d\n", mallctl(name, NULL, NULL, odd, sizeof odd));
    fflush(stdout);
  }
  return 0;
}
