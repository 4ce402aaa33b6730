// Runs a program that gets no memory it can write and then execute, as MemoryDenyWriteExecute= of systemd.exec(5) has it for
// gatherd.service: PCRE2 then has no JIT.
//
//   refuse PROGRAM [ARGUMENT...]
// SPDX-License-Identifier: Apache-2.0
#include <err.h>
#include <sys/prctl.h>
#include <unistd.h>

// Linux 6.3 and later; kept by execve(2).
#ifndef PR_SET_MDWE
#define PR_SET_MDWE 65
#define PR_MDWE_REFUSE_EXEC_GAIN 1UL
#endif

int main(int argc, char **argv) {
    if (argc < 2) errx(64, "usage: refuse PROGRAM [ARGUMENT...]");
    if (prctl(PR_SET_MDWE, PR_MDWE_REFUSE_EXEC_GAIN, 0L, 0L, 0L) < 0) err(1, "prctl");
    execvp(argv[1], argv + 1);
    err(1, "%s", argv[1]);
}
