// gather filter: the language on JSON objects, without a daemon.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import ContentTypes
internal import GatherService
internal import Glibc
internal import PredicateLanguage

struct FilterCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "filter",
        abstract: "Print the JSON objects of standard input that match.",
        discussion: """
            Reads one object a line. A key path names a value inside it. Needs no daemon. If a line has no answer, it is \
            named on standard error and the status is 2. The other lines are still answered.

            EXAMPLES
              journalctl -o json | gather filter "PRIORITY <= '3' AND _COMM == 'gatherd'"
              gather find "" --json | gather filter "size > 4096"
              echo '{"name":"Milk","price":1.19}' | gather filter "name BEGINSWITH[c] 'm'"
            """)

    @Argument(help: "The condition on an object.")
    var predicate: String

    mutating func run() throws {
        let filter: ObjectFilter
        do throws(PredicateError) {
            filter = try ObjectFilter(
                parsing: predicate, types: ContentTypeFiles.read(ContentTypeFiles.directories(isSystem: false)))
        } catch {
            throw Failure(error, command: "gather filter", predicate: predicate)
        }
        var lines = LineReader()
        var output = Output()
        var failed = false
        while let line = lines.next(whileWaiting: { output.flush() }) {
            do throws(ObjectFilter.LineError) {
                if try filter.matches(line: line) { output.line(line) }
            } catch {
                failed = true
                output.flush()
                Output.note("line \(lines.number): \(error)")
            }
        }
        output.flush()
        if let code = lines.failure {
            throw Failure("standard input cannot be read: \(String(cString: strerror(code)))")
        }
        if failed { throw ExitCode(ExitStatus.predicate) }
    }
}

/// The lines of standard input, of any length, without their ends.
private struct LineReader {
    /// The size of one read(2).
    private static let readBytes = 256 << 10

    private var buffer = [UInt8](repeating: 0, count: readBytes)
    private var start = 0
    /// The end of the bytes in `buffer`, and the end of the part that has no line end.
    private var end = 0
    private var searched = 0
    private var isAtEnd = false

    /// The number of the last line, from 1.
    private(set) var number = 0
    /// The errno of a read(2) that failed.
    private(set) var failure: Int32?

    /// Returns the next line; nil after the last. Calls `wait` before each read(2), which may block, to write the
    /// output so far.
    mutating func next(whileWaiting wait: () -> Void) -> [UInt8]? {
        while true {
            if let newline = buffer[searched..<end].firstIndex(of: UInt8(ascii: "\n")) {
                let line = Array(buffer[start..<newline])
                start = newline + 1
                searched = start
                number += 1
                return line
            }
            searched = end
            guard !isAtEnd else {
                guard start < end else { return nil }
                let line = Array(buffer[start..<end])
                start = end
                number += 1
                return line
            }
            wait()
            fill()
        }
    }

    private mutating func fill() {
        if start > 0 {
            buffer.withUnsafeMutableBytes { $0.copyBytes(from: Array($0[start..<end])) }
            end -= start
            searched -= start
            start = 0
        }
        if buffer.count - end < LineReader.readBytes / 2 {
            buffer.append(contentsOf: repeatElement(0, count: buffer.count))
        }
        let room = end..<buffer.count
        var count: Int
        repeat {
            count = buffer.withUnsafeMutableBytes {
                read(STDIN_FILENO, UnsafeMutableRawBufferPointer(rebasing: $0[room]).baseAddress, room.count)
            }
        } while count < 0 && errno == EINTR
        if count < 0 { failure = errno }
        if count <= 0 { isAtEnd = true } else { end += count }
    }
}
