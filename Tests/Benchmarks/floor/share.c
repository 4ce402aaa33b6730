// The least that a value takes to reach another process through a file: write, fsync and rename in one, inotify and read in the
// other.
//
//   share DIRECTORY COUNT      prints percentiles of the seconds as JSON
// SPDX-License-Identifier: Apache-2.0
#include <signal.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/socket.h>

#include "changes.h"
#include "clock.h"

// About as many bytes as the file of a store with one key has.
enum { fileSize = 160 };

// Puts the file in place, with `number` at its beginning.
static void save(const char *temporary, const char *path, long number) {
    char bytes[fileSize];
    memset(bytes, ' ', sizeof bytes);
    memcpy(bytes, &number, sizeof number);
    int file = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (file < 0 || write(file, bytes, sizeof bytes) != fileSize || fsync(file) != 0) err(1, "%s", temporary);
    close(file);
    if (rename(temporary, path) != 0) err(1, "%s", path);
}

// Answers with the number in the file each time that it is replaced.
static void follow(int notifier, const char *path, int answers) {
    char events[4096];
    while (read(notifier, events, sizeof events) > 0) {
        long number;
        int file = open(path, O_RDONLY | O_CLOEXEC);
        if (file < 0 || read(file, &number, sizeof number) != sizeof number) err(1, "%s", path);
        close(file);
        if (send(answers, &number, sizeof number, 0) < 0) break;
    }
    _exit(0);
}

int main(int argc, char **argv) {
    long count = argc == 3 ? atol(argv[2]) : 0;
    if (count < 1) errx(64, "usage: share DIRECTORY COUNT");
    char path[4096], temporary[4096];
    snprintf(path, sizeof path, "%s/values", argv[1]);
    snprintf(temporary, sizeof temporary, "%s/.values.tmp", argv[1]);
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0) err(1, "socketpair");
    int notifier = inotify_init1(IN_CLOEXEC);
    if (notifier < 0 || inotify_add_watch(notifier, argv[1], IN_MOVED_TO) < 0) err(1, "inotify");
    pid_t child = fork();
    if (child < 0) err(1, "fork");
    if (child == 0) follow(notifier, path, ends[1]);
    double *latency = calloc((size_t)count, sizeof *latency);
    for (long number = 0; number < count; number++) {
        double start = seconds();
        save(temporary, path, number);
        long answer = -1;
        if (recv(ends[0], &answer, sizeof answer, 0) != sizeof answer || answer != number) errx(1, "a wrong answer");
        latency[number] = seconds() - start;
    }
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    printLatencies(latency, count);
    free(latency);
    return 0;
}
