// How the view has ended.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import LinuxSystem

/// How the view has ended. The terminal is restored.
package struct ScreenEnd: Sendable {
    /// The signal that ended the view; nil if a person left it.
    package let signal: Int32?
    /// Texts that were typed and are not saved.
    package let unsavedTexts: [String]

    /// Prints the texts that are not saved to standard error. After a signal, ends the process by it, so that the shell sees
    /// it; SIGINT ends with the status 130.
    package func finish() {
        for text in unsavedTexts {
            let line = Array("grocery: not saved: \(TerminalText.shown(text))\n".utf8)
            _ = line.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
        }
        guard let signal else { return }
        if signal == SIGINT { exit(128 + signal) }
        Glibc.signal(signal, SIG_DFL)
        // The threads of Swift's concurrency block signals.
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, signal)
        pthread_sigmask(SIG_UNBLOCK, &set, nil)
        raise(signal)
        exit(128 + signal)
    }
}
