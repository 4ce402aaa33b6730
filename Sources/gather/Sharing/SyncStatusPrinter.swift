// Prints the state of sharing, once or at each change.
// SPDX-License-Identifier: Apache-2.0

internal import GatherKit
internal import Glibc
internal import LinuxSystem

/// Prints states of sharing. On a terminal, a live state replaces the one before.
struct SyncStatusPrinter {
    /// The time between two looks at the pipe of standard output, in milliseconds.
    static let tick = 1_000

    private let json: Bool
    private let isLive: Bool
    /// The lines on the terminal that the next state replaces.
    private var shownLines = 0
    private var lastObject: [UInt8] = []
    private var lastPlain: [ContainerIdentifier: String] = [:]

    init(json: Bool, isLive: Bool) {
        self.json = json
        self.isLive = isLive
    }

    mutating func print(_ text: SyncStatusText) {
        var output = Output()
        if json {
            let object = text.object
            if object != lastObject { output.line(object) }
            lastObject = object
        } else if Terminal.isTerminal() {
            printScreen(text, &output)
        } else {
            for container in text.containers {
                let line = text.plain(container)
                if lastPlain.updateValue(line, forKey: container.identifier) != line { output.line(line) }
            }
        }
        output.flush()
    }

    private mutating func printScreen(_ text: SyncStatusText, _ output: inout Output) {
        let size = RawTerminal.size
        var lines = text.lines(
            color: Terminal.hasColor(), width: size.width, isUnicode: Terminal.isUnicode)
        guard isLive else {
            for line in lines { output.line(line) }
            return
        }
        // A line that has scrolled away cannot be replaced.
        lines = Array(lines.prefix(max(1, size.height - 1)))
        var bytes = Array(shownLines > 0 ? "\u{1B}[\(shownLines)A".utf8 : "".utf8)
        // A line that is wider than the terminal must not take two.
        bytes += Array("\u{1B}[?7l".utf8)
        for line in lines {
            bytes += Array("\r\u{1B}[K\(TerminalText.shown(coloured: line))\n".utf8)
        }
        bytes += Array("\u{1B}[J\u{1B}[?7h".utf8)
        output.text(bytes)
        shownLines = lines.count
    }

    /// Whether the reader of the pipe is gone.
    var isDone: Bool {
        // No event is asked for; POLLERR, that the other end of a pipe is closed, comes unasked (poll(2)).
        var output = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
        return poll(&output, 1, 0) > 0
    }

    /// Waits before the helper is tried again.
    func pause() { _ = poll(nil, 0, Int32(Self.tick)) }
}
