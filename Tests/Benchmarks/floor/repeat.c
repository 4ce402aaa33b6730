// Runs a program several times and tells how long each run took, from before it is spawned until it has ended: a driver
// in an interpreter would add milliseconds of its own.
//
//   repeat TIMES FILE PROGRAM [ARGUMENT...]      prints the seconds of each run as a JSON list; the output goes to FILE
// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"

extern char **environ;

int main(int argc, char **argv) {
    int times = argc >= 4 ? atoi(argv[1]) : 0;
    if (times < 1) errx(64, "usage: repeat TIMES FILE PROGRAM [ARGUMENT...]");
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    // A pipe wants another process to read it, and some programs do less work for /dev/null.
    posix_spawn_file_actions_addopen(&actions, 1, argv[2], O_CREAT | O_WRONLY | O_TRUNC, 0600);
    printf("[");
    for (int run = 0; run < times; run++) {
        pid_t child;
        int status;
        double start = seconds();
        int error = posix_spawnp(&child, argv[3], &actions, NULL, argv + 3, environ);
        if (error) errx(1, "%s: error %d", argv[3], error);
        waitpid(child, &status, 0);
        double end = seconds();
        if (status != 0) errx(1, "%s ended with status %d", argv[3], status);
        printf("%s%.6f", run ? ", " : "", end - start);
    }
    printf("]\n");
    return 0;
}
