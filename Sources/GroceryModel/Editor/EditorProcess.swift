// A person's editor, which has the terminal for a while.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A person's editor, which has the terminal for a while. All calls block the thread.
package enum EditorProcess {
    /// The command of the editor: `VISUAL`, else `EDITOR`; nil if both are empty or missing.
    package static var command: String? {
        let names: [String] = ["VISUAL", "EDITOR"]
        return names.compactMap { name in getenv(name).map { String(cString: $0) } }.first { !$0.isEmpty }
    }

    /// Runs an editor on a file as system(3) does, and waits for its end. SIGINT and SIGQUIT belong to the editor, and Ctrl-Z stops
    /// both. The command may have options, so a shell splits it.
    ///
    /// - Returns: The exit status; a signal's number and 128 where it was killed.
    /// - Throws: ``FileSystem/Failure`` if the editor cannot be started.
    package static func run(_ command: String, on path: String) throws(FileSystem.Failure) -> Int {
        try run([command + " \"$@\"", "grocery", path])
    }

    /// Runs a script of sh(1), which has the terminal for a while, as an editor has it.
    ///
    /// - Parameter words: The script, its name, and its arguments.
    package static func run(_ words: [String]) throws(FileSystem.Failure) -> Int {
        let shared = [SIGINT, SIGQUIT, SIGTSTP]
        var former = shared.map { _ in sigaction() }
        for (index, number) in shared.enumerated() {
            var action = sigaction()
            action.__sigaction_handler.sa_handler = number == SIGTSTP ? SIG_DFL : SIG_IGN
            sigaction(number, &action, &former[index])
        }
        defer { for (index, number) in shared.enumerated() { sigaction(number, &former[index], nil) } }

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        for number in shared + [SIGPIPE] { sigaddset(&signals, number) }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        let words = ["sh", "-c"] + words
        let arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        defer { for pointer in arguments { free(pointer) } }
        var process = pid_t()
        let code = posix_spawn(&process, "/bin/sh", nil, &attributes, arguments, environ)
        guard code == 0 else { throw FileSystem.Failure("start a shell", code) }
        var status: CInt = 0
        while waitpid(process, &status, 0) < 0 {
            if errno != EINTR { throw FileSystem.Failure("wait for the shell") }
        }
        let signal = status & 0x7F
        return Int(signal == 0 ? (status >> 8) & 0xFF : 128 + signal)
    }
}
