// Changes of the descriptors that statistics might be written to: descriptors WAY FILE.
#include <fcntl.h>
#include <sys/wait.h>

#include "hazard.h"

int main(int argc, char** argv) {
  REQUIRE(argc == 3);
  free(new_block(1000));
  const char* way = argv[1];
  if (strcmp(way, "reuse_all") == 0) {  // a daemon: closes everything, then its file has any number
    closefrom(0);
    while (open(argv[2], O_WRONLY | O_CREAT | O_APPEND, 0644) >= 0) {
    }
  } else if (strcmp(way, "reuse_stderr") == 0) {
    close(2);
    REQUIRE(open(argv[2], O_WRONLY | O_CREAT | O_APPEND, 0644) == 2);
  } else if (strcmp(way, "chdir") == 0) {
    REQUIRE(chdir("/") == 0);
  } else if (strcmp(way, "children") == 0) {  // only the process that was asked reports
    for (int i = 0; i < 3; ++i) {
      const pid_t child = fork();
      if (child == 0) exit(0);
      int status;
      REQUIRE(waitpid(child, &status, 0) == child && status == 0);
    }
  }
  return 0;
}
