// A process that is started with descriptors passed to it, as a service manager starts one.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

/// The tests run once more in a process that has the descriptors from its beginning. In one that runs already they cannot
/// be put in place: 3 and 4 are libdispatch's epoll and eventfd there, often, and its thread traps when they are replaced.
enum ActivatedProcess {
    private static let mark = "GATHER_TEST_ACTIVATED"

    /// Whether this is such a process.
    static let isInside = getenv(mark) != nil

    /// Runs a suite in a process that is passed `descriptors` under `names`; returns how that ended, as waitpid(2) has it.
    static func test(_ suite: String, passing descriptors: [CInt], names: [String]) throws -> CInt {
        var path = [CChar](repeating: 0, count: 4_096)
        try #require(readlink("/proc/self/exe", &path, path.count - 1) > 0)
        let program = path.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
        // Only the process itself knows its number, and keeps it over exec.
        let script =
            "\(mark)=1 LISTEN_PID=$$ LISTEN_FDS=\(descriptors.count) LISTEN_FDNAMES=\(names.joined(separator: ":")) "
            + "exec \"$@\" >&2"
        let arguments = [
            "sh", "-c", script, "sh", program, "--testing-library", "swift-testing", "--filter", suite,
        ]
        var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        // Out of the way first, so that none is replaced before it has been passed itself.
        let moved = descriptors.map { fcntl($0, F_DUPFD_CLOEXEC, 100) }
        defer { for descriptor in moved { close(descriptor) } }
        for (index, descriptor) in moved.enumerated() {
            try #require(descriptor >= 0)
            posix_spawn_file_actions_adddup2(&actions, descriptor, 3 + CInt(index))
        }
        var child = pid_t()
        try #require(posix_spawn(&child, "/bin/sh", &actions, nil, &words, environ) == 0)
        var status: CInt = 0
        while waitpid(child, &status, 0) < 0 { try #require(errno == EINTR) }
        return status
    }
}
