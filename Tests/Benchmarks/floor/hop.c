// The least that a change can take to reach another process: one inotify read there, one hop over a Unix socket back.
//
//   hop DIRECTORY COUNT [PROCESSOR]      prints percentiles of the seconds as JSON; the process that reads the events
//                                        runs on that processor
// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <sys/inotify.h>
#include <sys/socket.h>

#include "changes.h"
#include "clock.h"

int main(int argc, char **argv) {
    long count = argc == 3 || argc == 4 ? atol(argv[2]) : 0;
    if (count < 1) errx(64, "usage: hop DIRECTORY COUNT [PROCESSOR]");
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0) err(1, "socketpair");
    int notifier = inotify_init1(IN_CLOEXEC);
    if (notifier < 0 || inotify_add_watch(notifier, argv[1], IN_CREATE) < 0) err(1, "inotify");
    pid_t child = fork();
    if (child < 0) err(1, "fork");
    char buffer[4096];
    if (child == 0) {
        if (argc == 4) {
            cpu_set_t processors;
            CPU_ZERO(&processors);
            CPU_SET((size_t)atoi(argv[3]), &processors);
            if (sched_setaffinity(0, sizeof processors, &processors) < 0) err(1, "sched_setaffinity");
        }
        // About as many bytes as an update of one item takes.
        static const char update[160];
        while (read(notifier, buffer, sizeof buffer) > 0)
            if (send(ends[1], update, sizeof update, 0) < 0) break;
        _exit(0);
    }
    double *latency = calloc((size_t)count, sizeof *latency);
    for (long number = 0; number < count; number++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/Change_%06ld", argv[1], number);
        double start = seconds();
        create(path);
        if (recv(ends[0], buffer, sizeof buffer, 0) <= 0) err(1, "recv");
        latency[number] = seconds() - start;
        unlink(path);
    }
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    printLatencies(latency, count);
    free(latency);
    return 0;
}
