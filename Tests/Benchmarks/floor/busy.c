// A busy neighbour: writes to one file, or touches many, until it is ended by a signal.
//
//   busy append FILE RATE     appends to a file so many times a second
//   busy touch DIRECTORY      sets the times of every file below a directory, over and over, as fast as it can
// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static void append(const char *path, long rate) {
    int file = open(path, O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0644);
    if (file < 0) err(1, "%s", path);
    struct timespec next;
    clock_gettime(CLOCK_MONOTONIC, &next);
    for (;;) {
        if (write(file, "x", 1) != 1) err(1, "%s", path);
        next.tv_nsec += 1000000000 / rate;
        if (next.tv_nsec >= 1000000000) next.tv_nsec -= 1000000000, next.tv_sec++;
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
    }
}

static int touch(const char *path, const struct stat *status, int type, struct FTW *place) {
    (void)status;
    (void)place;
    if (type == FTW_F) utimensat(AT_FDCWD, path, NULL, AT_SYMLINK_NOFOLLOW);
    return 0;
}

int main(int argc, char **argv) {
    if (argc == 4 && !strcmp(argv[1], "append") && atol(argv[3]) > 0) append(argv[2], atol(argv[3]));
    if (argc == 3 && !strcmp(argv[1], "touch"))
        while (nftw(argv[2], touch, 64, FTW_PHYS) == 0) continue;
    errx(64, "usage: busy append FILE RATE | busy touch DIRECTORY");
}
