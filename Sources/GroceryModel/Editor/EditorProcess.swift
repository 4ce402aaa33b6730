// A person's editor, which has the terminal for a while.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import LinuxSystem

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

        do throws(SystemError) {
            let arguments = (["/bin/sh", "-c"] + words).map { Array($0.utf8) }
            return try Program.waitForEnd(of: try Program.start(arguments, signals: shared))
        } catch {
            throw FileSystem.Failure("run a shell", error.code)
        }
    }
}
