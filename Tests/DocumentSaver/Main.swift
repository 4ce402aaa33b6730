// A program that edits and saves one document again and again, for tests that kill it.
// SPDX-License-Identifier: Apache-2.0

import GatherDocuments
import Glibc
import LinuxSystem

/// The contents are one line that names an edit, and padding, so that a torn file would show.
struct Line: DocumentContents {
    var text: String

    init(text: String) { self.text = text }

    init(bytes: [UInt8]) throws {
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        guard lines.count == 3, lines[1].count == Line.padding, lines[2].isEmpty else { throw Torn() }
        text = String(decoding: lines[0], as: UTF8.self)
    }

    var bytes: [UInt8] {
        Array(text.utf8) + [10] + [UInt8](repeating: UInt8(ascii: "."), count: Line.padding) + [10]
    }

    static let padding = 5_000
    struct Torn: Error {}
}

/// `document-saver DOCUMENT LOG NAME COUNT`: opens the document, saves COUNT edits over what is there, and appends to the log
/// `base OLD NEW` before a save and `saved NEW` after it. With `--exchange`, the file is replaced without the folder's lock, as
/// programs do that know nothing of documents. The line `replaced OLD NEW` comes after that.
///
/// `document-saver --time-saves DOCUMENT COUNT BYTES` and `--time-opens FOLDER` print the nanoseconds of each save, and of
/// opening and closing each file of a folder, for `Tests/Benchmarks/documents.py`. `--set-keys DIRECTORY SOCKET` and
/// `--follow-keys DIRECTORY SOCKET` are the two processes of `Tests/Benchmarks/keys.py`. `--save-once KIND FOLDER` is a ``OneSave``.
@main
enum Saver {
    static func main() async throws {
        var arguments = Array(CommandLine.arguments.dropFirst())
        if arguments.first == "--time-saves" {
            return try await timeSaves(arguments[1], Int(arguments[2])!, bytes: Int(arguments[3])!)
        }
        if arguments.first == "--time-opens" { return try await timeOpens(arguments[1]) }
        if arguments.first == "--set-keys" { return try await KeyTimes.set(arguments[1], socket: arguments[2]) }
        if arguments.first == "--follow-keys" { return try await KeyTimes.follow(arguments[1], socket: arguments[2]) }
        if arguments.first == "--save-once" { return try OneSave(rawValue: arguments[1])!.run(in: arguments[2]) }
        let exchanges = arguments.first == "--exchange"
        if exchanges { arguments.removeFirst() }
        let (path, log, name, count) = (arguments[0], arguments[1], arguments[2], Int(arguments[3])!)
        let file = Glibc.open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
        func write(_ line: String) {
            _ = Array((line + "\n").utf8).withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
        }
        if exchanges { return try exchange(path, name, count, write) }
        let document = Document<Line>(
            path: FilePath(path),
            options: DocumentOptions(
                autosaveInterval: .seconds(3_600), followsChanges: false,
                device: DeviceIdentifier(text: "ABCDEFG", name: name)!))
        for number in 0..<count {
            try await document.open()
            // Some edits are made from a version that is no longer current.
            if number % 3 != 0 { try? await document.refresh() }
            let old = try await document.contents.text
            let new = "\(name)-\(number)"
            try await document.edit { $0.text = new }
            write("base \(old) \(new)")
            try await document.save()
            write("saved \(new)")
            if number % 5 == 4 { try await document.close() }
        }
    }

    private struct Plain: DocumentContents {
        var bytes: [UInt8]
        init(bytes: [UInt8]) { self.bytes = bytes }
    }

    private static func timeSaves(_ path: String, _ count: Int, bytes: Int) async throws {
        let document = Document<Plain>(
            path: FilePath(path), options: DocumentOptions(autosaveInterval: .seconds(3_600), followsChanges: false))
        try await document.create(Plain(bytes: [UInt8](repeating: UInt8(ascii: "."), count: bytes)))
        for number in 0..<count {
            try await document.edit { $0.bytes.replaceSubrange(0..<8, with: Array("\(10_000_000 + number)".utf8)) }
            let start = ContinuousClock.now
            try await document.save()
            print((ContinuousClock.now - start) / .nanoseconds(1))
        }
        try await document.close()
    }

    private static func timeOpens(_ folder: String) async throws {
        guard let list = opendir(folder) else { return }
        defer { closedir(list) }
        var names: [String] = []
        while let entry = readdir(list) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        let options = DocumentOptions(followsChanges: false)
        for name in names {
            let document = Document<Plain>(path: FilePath(folder + "/" + name), options: options)
            let start = ContinuousClock.now
            try await document.open()
            try await document.close()
            print((ContinuousClock.now - start) / .nanoseconds(1))
        }
    }

    private static func exchange(_ path: String, _ name: String, _ count: Int, _ write: (String) -> Void) throws {
        for number in 0..<count {
            let new = "\(name)-\(number)"
            let temporary = path + "." + name
            let file = Glibc.open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
            let bytes = Line(text: new).bytes
            _ = bytes.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
            Glibc.close(file)
            let made = inode(of: temporary)
            guard (try? Entry.rename(temporary, to: path, mode: .exchange)) != nil else { continue }
            let old = try String(decoding: read(temporary).split(separator: 10)[0], as: UTF8.self)
            write("replaced \(old) \(new)")
            unlink(temporary)
            // The next one replaces what another program saved meanwhile.
            while inode(of: path) == made { sched_yield() }
        }
    }

    private static func inode(of path: String) -> UInt64? {
        var status = stat()
        return lstat(path, &status) == 0 ? UInt64(status.st_ino) : nil
    }

    private static func read(_ path: String) throws -> [UInt8] {
        let file = Glibc.open(path, O_RDONLY | O_CLOEXEC)
        defer { Glibc.close(file) }
        var bytes = [UInt8](repeating: 0, count: Line.padding + 1_000)
        let count = Glibc.read(file, &bytes, bytes.count)
        return Array(bytes.prefix(max(0, count)))
    }
}
