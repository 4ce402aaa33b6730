// The least that a watcher of a burst can do: read the events and statx what each of them names, while another process
// makes the files.
//
//   watch DIRECTORY COUNT      prints the seconds from the first creation to the last report as JSON; status 75 where the
//                              kernel's queue overflowed
// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include <string.h>
#include <sys/inotify.h>

#include "changes.h"
#include "clock.h"

enum { readBytes = 1 << 16, maximumWatches = 1 << 10 };

int main(int argc, char **argv) {
    long count = argc == 3 ? atol(argv[2]) : 0, seen = 0;
    if (count < 1) errx(64, "usage: watch DIRECTORY COUNT");
    const unsigned mask = IN_CREATE | IN_DELETE | IN_MOVE | IN_CLOSE_WRITE | IN_ATTRIB | IN_MODIFY | IN_ONLYDIR |
                          IN_EXCL_UNLINK;
    static int descriptors[maximumWatches];
    makeBurstDirectories(argv[1]);
    int notifier = inotify_init1(IN_CLOEXEC);
    if (notifier < 0) err(1, "inotify_init1");
    for (long number = 0; number < burstDirectories; number++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/d%02ld", argv[1], number);
        int watch = inotify_add_watch(notifier, path, mask);
        if (watch < 0 || watch >= maximumWatches) err(1, "inotify_add_watch");
        descriptors[watch] = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    }
    static char buffer[readBytes] __attribute__((aligned(8)));
    double start = seconds();
    pid_t child = startBurst(argv[1], count);
    while (seen < count) {
        long got = read(notifier, buffer, sizeof buffer);
        if (got <= 0) err(1, "read");
        for (long at = 0; at < got;) {
            struct inotify_event *event = (struct inotify_event *)(buffer + at);
            at += (long)(sizeof *event + event->len);
            if (event->mask & IN_Q_OVERFLOW) {
                endBurst(child);
                return 75;
            }
            struct statx status;
            statx(descriptors[event->wd], event->name, AT_SYMLINK_NOFOLLOW, STATX_BASIC_STATS | STATX_BTIME, &status);
            if (event->mask & IN_CREATE) seen++;
        }
    }
    double end = seconds();
    endBurst(child);
    printf("{\"seconds\": %.6f}\n", end - start);
    return 0;
}
