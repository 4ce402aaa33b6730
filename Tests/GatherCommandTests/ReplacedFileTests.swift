// The files that --output replaces, and those that it leaves where they are.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

@testable import gather

struct ReplacedFileTests {
    /// A directory of the test's own.
    private func withDirectory(_ body: (String) throws -> Void) throws {
        var template = Array("/tmp/gather-replaced.XXXXXX".utf8CString)
        try #require(mkdtemp(&template) != nil)
        let directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        defer {
            for name in names(in: directory) { unlink(directory + "/" + name) }
            rmdir(directory)
        }
        try body(directory)
    }

    private func names(in directory: String) -> [String] {
        guard let stream = opendir(directory) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    private func text(_ path: String) -> String? {
        let descriptor = open(path, O_RDONLY)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 1_000)
        let count = read(descriptor, &bytes, bytes.count)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }

    private func look(_ path: String) -> stat? {
        var status = stat()
        return lstat(path, &status) == 0 ? status : nil
    }

    private func kind(_ path: String) -> mode_t? { look(path).map { $0.st_mode & S_IFMT } }

    @Test func `A file that is new, and one that was there, whose mode stays`() throws {
        try withDirectory { directory in
            let path = directory + "/a.prom"
            try ReplacedFile.write(Array("one".utf8), to: path)
            #expect(text(path) == "one")
            #expect(look(path)?.st_mode == S_IFREG | 0o644)
            let first = look(path)?.st_ino
            let reader = open(path, O_RDONLY)
            defer { close(reader) }
            try #require(chmod(path, 0o640) == 0)
            try ReplacedFile.write(Array("two!".utf8), to: path)
            #expect(text(path) == "two!")
            #expect(look(path)?.st_mode == S_IFREG | 0o640)
            #expect(look(path)?.st_ino != first, "it is another file")
            #expect(names(in: directory) == ["a.prom"])
        }
    }

    @Test func `The target of a symbolic link is replaced, not the link`() throws {
        try withDirectory { directory in
            let (file, link) = (directory + "/file", directory + "/link")
            try ReplacedFile.write(Array("one".utf8), to: file)
            try #require(symlink("file", link) == 0)
            try ReplacedFile.write(Array("two".utf8), to: link)
            #expect(kind(link) == S_IFLNK && text(file) == "two")
            try #require(unlink(file) == 0)
            #expect(throws: Failure.self) { try ReplacedFile.write([], to: link) }
            #expect(names(in: directory) == ["link"])
        }
    }

    @Test func `Devices and pipes are written into, and stay`() throws {
        try withDirectory { directory in
            let (pipe, link) = (directory + "/pipe", directory + "/null")
            try #require(mkfifo(pipe, 0o600) == 0)
            let reader = open(pipe, O_RDONLY | O_NONBLOCK)
            defer { close(reader) }
            try ReplacedFile.write(Array("one".utf8), to: pipe)
            var bytes = [UInt8](repeating: 0, count: 10)
            #expect(read(reader, &bytes, bytes.count) == 3 && bytes.starts(with: "one".utf8))
            #expect(kind(pipe) == S_IFIFO)
            try #require(symlink("/dev/null", link) == 0)
            try ReplacedFile.write(Array("one".utf8), to: link)
            #expect(kind(link) == S_IFLNK && kind("/dev/null") == S_IFCHR)
            #expect(names(in: directory) == ["null", "pipe"])
        }
    }

    @Test func `A failed write is an error, and nothing is left`() throws {
        try withDirectory { directory in
            #expect(throws: Failure.self) { try ReplacedFile.write([], to: directory) }
            #expect(throws: Failure.self) { try ReplacedFile.write([], to: directory + "/none/a") }
            #expect(names(in: directory).isEmpty)
        }
    }
}
