// The least that a start can take: watch every directory, read it, statx what is in it, and keep nothing. Two threads
// share a stack of directories.
//
//   crawl DIRECTORY THREADS      prints the seconds, and the numbers of files and directories, as JSON
// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include <dirent.h>
#include <err.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "clock.h"

enum { maximumThreads = 16, readBytes = 1 << 16 };

struct entry {
    unsigned long long inode;
    long long offset;
    unsigned short length;
    unsigned char type;
    char name[];
};

static const unsigned mask = IN_CREATE | IN_DELETE | IN_MOVE | IN_CLOSE_WRITE | IN_ATTRIB | IN_MODIFY | IN_DELETE_SELF |
                             IN_MOVE_SELF | IN_ONLYDIR | IN_EXCL_UNLINK;

static int notifier;

// The lock guards everything down to `directories`.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static char **stack;
static size_t depth, capacity;
static int busy;
static long files, directories;

static void push(char *path) {
    if (depth == capacity) {
        capacity = capacity ? capacity * 2 : 1024;
        stack = realloc(stack, capacity * sizeof *stack);
        if (!stack) err(1, "realloc");
    }
    stack[depth++] = path;
}

// The next directory; NULL when all are done.
static char *next(void) {
    pthread_mutex_lock(&lock);
    while (depth == 0 && busy > 0) pthread_cond_wait(&changed, &lock);
    char *path = depth > 0 ? stack[--depth] : NULL;
    if (path) busy++;
    else pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    return path;
}

static void *work(void *unused) {
    (void)unused;
    static _Thread_local char buffer[readBytes];
    for (char *path; (path = next());) {
        char **below = NULL;
        size_t count = 0, room = 0;
        long seen = 0;
        if (inotify_add_watch(notifier, path, mask) < 0) err(1, "inotify_add_watch %s", path);
        int directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (directory < 0) err(1, "%s", path);
        long got;
        while ((got = syscall(SYS_getdents64, directory, buffer, sizeof buffer)) > 0) {
            for (long at = 0; at < got;) {
                struct entry *entry = (struct entry *)(buffer + at);
                at += entry->length;
                if (!strcmp(entry->name, ".") || !strcmp(entry->name, "..")) continue;
                struct statx status;
                statx(directory, entry->name, AT_SYMLINK_NOFOLLOW, STATX_BASIC_STATS | STATX_BTIME, &status);
                if (entry->type != DT_DIR) {
                    seen++;
                    continue;
                }
                if (count == room) {
                    room = room ? room * 2 : 16;
                    below = realloc(below, room * sizeof *below);
                    if (!below) err(1, "realloc");
                }
                if (asprintf(&below[count++], "%s/%s", path, entry->name) < 0) err(1, "asprintf");
            }
        }
        close(directory);
        free(path);
        pthread_mutex_lock(&lock);
        for (size_t index = 0; index < count; index++) push(below[index]);
        files += seen;
        directories++;
        busy--;
        pthread_cond_broadcast(&changed);
        pthread_mutex_unlock(&lock);
        free(below);
    }
    return NULL;
}

int main(int argc, char **argv) {
    int threads = argc == 3 ? atoi(argv[2]) : 0;
    if (threads < 1 || threads > maximumThreads) errx(64, "usage: crawl DIRECTORY THREADS");
    notifier = inotify_init1(IN_CLOEXEC);
    if (notifier < 0) err(1, "inotify_init1");
    pthread_t thread[maximumThreads];
    double start = seconds();
    push(strdup(argv[1]));
    for (int index = 0; index < threads; index++) pthread_create(&thread[index], NULL, work, NULL);
    for (int index = 0; index < threads; index++) pthread_join(thread[index], NULL);
    printf("{\"seconds\": %.6f, \"files\": %ld, \"directories\": %ld}\n", seconds() - start, files, directories);
    return 0;
}
