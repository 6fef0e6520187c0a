// A small server for tests, and its client.
//
// usage: serves PORT [MODE]         listens on 127.0.0.1 and prints "ready to serve"
//        serves send PORT WORD...   sends each word as a line and waits for the answers
// modes: refuse   complains and exits with code 1
//        deaf     never listens
//        stubborn ignores SIGTERM
// words: grow=MIB keeps that much more memory, and touches it; free frees all of it; die aborts;
//        quit exits with code 0; pause=MS waits
#include <arpa/inet.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { max_blocks = 4096 };
static char* blocks[max_blocks];
static int block_count = 0;

static struct sockaddr_in address_of(const char* port) {
  struct sockaddr_in address;
  memset(&address, 0, sizeof address);
  address.sin_family = AF_INET;
  address.sin_port = htons((unsigned short)atoi(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

static int send_words(const char* port, char** words) {
  struct sockaddr_in address = address_of(port);
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  if (connect(fd, (struct sockaddr*)&address, sizeof address) != 0) {
    perror("send: connect");
    return 1;
  }
  FILE* answers = fdopen(fd, "r");
  for (; *words != NULL; ++words) {
    char answer[64];
    dprintf(fd, "%s\n", *words);
    if (fgets(answer, sizeof answer, answers) == NULL) {
      fprintf(stderr, "send: no answer to %s\n", *words);
      return 1;
    }
  }
  return 0;
}

static void grow(int mib) {
  size_t size = (size_t)mib << 20;
  char* block = malloc(size);
  for (size_t at = 0; at < size; at += 4096) block[at] = 1;
  blocks[block_count++] = block;
}

static void obey(const char* word) {
  if (strncmp(word, "grow=", 5) == 0 && block_count < max_blocks) grow(atoi(word + 5));
  if (strncmp(word, "pause=", 6) == 0) usleep((useconds_t)atoi(word + 6) * 1000);
  if (strcmp(word, "free") == 0) {
    while (block_count > 0) free(blocks[--block_count]);
  }
  if (strcmp(word, "die") == 0) {
    fprintf(stderr, "serves: told to die\n");
    abort();
  }
  if (strcmp(word, "quit") == 0) exit(0);
}

static void serve(int listener) {
  for (;;) {
    int fd = accept(listener, NULL, NULL);
    if (fd < 0) continue;
    FILE* words = fdopen(fd, "r");
    char word[64];
    while (fgets(word, sizeof word, words) != NULL) {
      word[strcspn(word, "\n")] = '\0';
      obey(word);
      dprintf(fd, "ok\n");
    }
    fclose(words);
  }
}

int main(int argc, char** argv) {
  if (argc >= 3 && strcmp(argv[1], "send") == 0) return send_words(argv[2], argv + 3);
  const char* mode = argc >= 3 ? argv[2] : "";
  if (strcmp(mode, "refuse") == 0) {
    fprintf(stderr, "serves: starting\nserves: no such database\n");
    return 1;
  }
  if (strcmp(mode, "stubborn") == 0) {
    signal(SIGTERM, SIG_IGN);
    signal(SIGINT, SIG_DFL);  // a shell that runs the tests in the background has it ignored
  }
  struct sockaddr_in address = address_of(argv[1]);
  int listener = socket(AF_INET, SOCK_STREAM, 0);
  int on = 1;
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (strcmp(mode, "deaf") == 0) {
    for (;;) pause();
  }
  if (bind(listener, (struct sockaddr*)&address, sizeof address) != 0 || listen(listener, 9) != 0) {
    perror("serves: bind");
    return 1;
  }
  dprintf(STDOUT_FILENO, "serves: ready to serve\n");
  serve(listener);
  return 0;
}
