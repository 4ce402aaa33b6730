// A subscriber to gatherd that takes as little time as it can: it opens the socket, asks for a live query, changes files
// and waits until the updates name them.
//
//   subscribe latency SOCKET DIRECTORY SCOPE COUNT   each change by itself; prints percentiles of the seconds as JSON
//   subscribe burst SOCKET DIRECTORY SCOPE COUNT     all at once from another process; prints the seconds from the first
//                                                    creation until every file was reported
// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "changes.h"
#include "clock.h"

enum { readBytes = 1 << 20 };

static int connection;
// What was received and not looked at yet: `used` bytes, NUL-terminated messages.
static char *received;
static size_t used, capacity;

static void openSocket(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path) errx(1, "%s is too long for a socket", path);
    strcpy(address.sun_path, path);
    connection = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connection < 0 || connect(connection, (struct sockaddr *)&address, sizeof address) < 0) err(1, "%s", path);
}

// Takes the next message. It is valid until the next call.
static char *nextMessage(void) {
    static size_t taken;
    memmove(received, received + taken, used - taken);
    used -= taken;
    size_t searched = 0;
    for (;;) {
        char *end = used > searched ? memchr(received + searched, 0, used - searched) : NULL;
        if (end) {
            taken = (size_t)(end - received) + 1;
            if (strstr(received, "\"error\":")) errx(1, "gatherd answers %s", received);
            return received;
        }
        searched = used;
        if (capacity - used < readBytes) {
            capacity = capacity * 2 + readBytes;
            received = realloc(received, capacity);
            if (!received) err(1, "realloc");
        }
        long got = recv(connection, received + used, capacity - used, 0);
        if (got < 0) err(1, "recv");
        if (got == 0) errx(1, "gatherd closed the connection");
        used += (size_t)got;
    }
}

// Starts a live query and waits until it has gathered.
static void watch(const char *predicate, const char *scope) {
    char call[4096];
    int length = snprintf(call, sizeof call,
                          "{\"method\":\"io.gatherd.Query.Watch\",\"parameters\":{\"predicate\":\"%s\",\"scopes\":[\"%s\"],"
                          "\"attributes\":[\"name\"]},\"more\":true}",
                          predicate, scope);
    if (send(connection, call, (size_t)length + 1, 0) != length + 1) err(1, "send");
    while (!strstr(nextMessage(), "\"gathered\"")) {
    }
}

// Sends one call that expects one answer, on a connection of its own.
static void flush(const char *path) {
    int live = connection;
    openSocket(path);
    static const char call[] = "{\"method\":\"io.gatherd.Query.Flush\"}";
    char answer[4096];
    if (send(connection, call, sizeof call, 0) != sizeof call) err(1, "send");
    if (recv(connection, answer, sizeof answer, 0) <= 0) err(1, "recv");
    close(connection);
    connection = live;
}

static void measureLatency(const char *directory, long count) {
    double *latency = calloc((size_t)count, sizeof *latency);
    for (long number = 0; number < count; number++) {
        char path[4096], name[64];
        snprintf(name, sizeof name, "Change_%06ld", number);
        snprintf(path, sizeof path, "%s/%s", directory, name);
        double start = seconds();
        create(path);
        while (!strstr(nextMessage(), name)) {
        }
        latency[number] = seconds() - start;
        // The removal is waited for, but it is no part of what is measured.
        unlink(path);
        for (char *message; !(strstr(message = nextMessage(), "\"removed\"") && strstr(message, name));) {
        }
    }
    printLatencies(latency, count);
    free(latency);
}

static void measureBurst(const char *directory, long count) {
    bool *reported = calloc((size_t)count, sizeof *reported);
    long seen = 0, messages = 0;
    double start = seconds();
    pid_t child = startBurst(directory, count);
    while (seen < count) {
        messages++;
        static const char prefix[] = "Burst_";
        for (char *at = nextMessage(); (at = strstr(at, prefix)); at += sizeof prefix - 1) {
            long number = atol(at + sizeof prefix - 1);
            if (number >= 0 && number < count && !reported[number]) {
                reported[number] = true;
                seen++;
            }
        }
    }
    double end = seconds();
    endBurst(child);
    printf("{\"seconds\": %.6f, \"messages\": %ld}\n", end - start, messages);
    free(reported);
}

int main(int argc, char **argv) {
    long count = argc == 6 ? atol(argv[5]) : 0;
    if (count < 1) errx(64, "usage: subscribe latency|burst SOCKET DIRECTORY SCOPE COUNT");
    bool burst = !strcmp(argv[1], "burst");
    openSocket(argv[2]);
    if (burst) {
        makeBurstDirectories(argv[3]);
        flush(argv[2]);
    }
    watch(burst ? "name LIKE 'Burst_*'" : "name LIKE 'Change_*'", argv[4]);
    if (burst) measureBurst(argv[3], count);
    else measureLatency(argv[3], count);
    return 0;
}
