// Making the changes that are measured: the same for Gather and for the floor.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { burstDirectories = 100 };

static inline void create(const char *path) {
    int file = open(path, O_CREAT | O_WRONLY | O_EXCL | O_CLOEXEC, 0644);
    if (file < 0) err(1, "%s", path);
    close(file);
}

static inline void burstPath(char *path, size_t size, const char *directory, long number) {
    snprintf(path, size, "%s/d%02ld/Burst_%06ld", directory, number % burstDirectories, number);
}

// The directories of a burst, to be made and seen before it starts.
static inline void makeBurstDirectories(const char *directory) {
    char path[4096];
    for (long number = 0; number < burstDirectories; number++) {
        snprintf(path, sizeof path, "%s/d%02ld", directory, number);
        if (mkdir(path, 0755) < 0) err(1, "%s", path);
    }
}

// Starts a process that makes `count` files as fast as it can.
static inline pid_t startBurst(const char *directory, long count) {
    pid_t child = fork();
    if (child < 0) err(1, "fork");
    if (child > 0) return child;
    char path[4096];
    for (long number = 0; number < count; number++) {
        burstPath(path, sizeof path, directory, number);
        create(path);
    }
    _exit(0);
}

static inline void endBurst(pid_t child) {
    int status;
    if (waitpid(child, &status, 0) < 0 || status != 0) errx(1, "the process that makes files failed");
}

static inline int compareDoubles(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Prints the percentiles of latencies as JSON.
static inline void printLatencies(double *latency, long count) {
    qsort(latency, (size_t)count, sizeof *latency, compareDoubles);
    printf("{\"p50\": %.9f, \"p99\": %.9f, \"max\": %.9f}\n", latency[count / 2], latency[count * 99 / 100],
           latency[count - 1]);
}
