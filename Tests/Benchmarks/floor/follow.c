// The least that whoever follows a tree can do: watch every directory, read the events and statx what each of them names.
//
//   follow DIRECTORY      prints "ready" when all is watched; at the end of its input it prints how many events there were,
//                         and the seconds of processor time since it was ready, as JSON
// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <ftw.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { readBytes = 1 << 16 };

static int notifier;
// Directories, by watch descriptor. There may be more than a process may have open; of the last one a descriptor is kept,
// since events come in runs.
static char **paths;
static int capacity;

static int watch(const char *path, const struct stat *status, int type, struct FTW *place) {
    (void)status;
    (void)place;
    if (type != FTW_D) return 0;
    const unsigned mask = IN_CREATE | IN_DELETE | IN_MOVE | IN_CLOSE_WRITE | IN_ATTRIB | IN_MODIFY | IN_ONLYDIR |
                          IN_EXCL_UNLINK;
    int number = inotify_add_watch(notifier, path, mask);
    if (number < 0) err(1, "%s", path);
    while (number >= capacity) {
        capacity = capacity ? capacity * 2 : 1024;
        paths = realloc(paths, (size_t)capacity * sizeof *paths);
        if (!paths) err(1, "realloc");
    }
    paths[number] = strdup(path);
    if (!paths[number]) err(1, "strdup");
    return 0;
}

static double processorSeconds(void) {
    struct timespec used;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return (double)used.tv_sec + (double)used.tv_nsec / 1e9;
}

int main(int argc, char **argv) {
    if (argc != 2) errx(64, "usage: follow DIRECTORY");
    notifier = inotify_init1(IN_CLOEXEC);
    if (notifier < 0) err(1, "inotify_init1");
    if (nftw(argv[1], watch, 64, FTW_PHYS) != 0) err(1, "%s", argv[1]);
    puts("ready");
    fflush(stdout);

    static char buffer[readBytes] __attribute__((aligned(8)));
    struct pollfd waiting[2] = {{.fd = notifier, .events = POLLIN}, {.fd = STDIN_FILENO, .events = POLLIN}};
    double before = processorSeconds();
    long events = 0;
    int last = -1, directory = -1;
    for (;;) {
        if (poll(waiting, 2, -1) < 0) err(1, "poll");
        if (waiting[1].revents) break;
        long got = read(notifier, buffer, sizeof buffer);
        if (got <= 0) err(1, "read");
        for (long at = 0; at < got;) {
            struct inotify_event *event = (struct inotify_event *)(buffer + at);
            at += (long)(sizeof *event + event->len);
            if (event->mask & IN_Q_OVERFLOW || event->len == 0) continue;
            if (event->wd != last) {
                if (directory >= 0) close(directory);
                last = event->wd;
                directory = open(paths[last], O_PATH | O_DIRECTORY | O_CLOEXEC);
                if (directory < 0) err(1, "%s", paths[last]);
            }
            struct statx status;
            statx(directory, event->name, AT_SYMLINK_NOFOLLOW, STATX_BASIC_STATS | STATX_BTIME, &status);
            events++;
        }
    }
    printf("{\"events\": %ld, \"processorSeconds\": %.6f}\n", events, processorSeconds() - before);
    return 0;
}
