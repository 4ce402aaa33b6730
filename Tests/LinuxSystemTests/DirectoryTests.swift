// Directories and entries on a real file system, against what libc says of them.
// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import Testing

@testable import LinuxSystem

@Suite struct DirectoryTests {
    let scratch: Scratch
    init() throws { scratch = try Scratch() }

    @Test func statusIsWhatLibcSays() throws {
        try scratch.write("file", "twelve bytes")
        try Entry.link("file", in: scratch.number, to: "other", in: scratch.number)
        let status = try EntryStatus(of: "file", in: scratch.number)
        var expected = stat()
        #expect(lstat(scratch.path + "/file", &expected) == 0)
        #expect(status.inode == expected.st_ino)
        #expect(status.size == 12)
        #expect(status.links == 2)
        #expect(UInt32(status.mode) == expected.st_mode)
        #expect(status.owner == expected.st_uid && status.group == expected.st_gid)
        #expect(
            status.modified
                == .init(seconds: Int64(expected.st_mtim.tv_sec), nanoseconds: UInt32(expected.st_mtim.tv_nsec)))
        #expect(
            status.changed
                == .init(seconds: Int64(expected.st_ctim.tv_sec), nanoseconds: UInt32(expected.st_ctim.tv_nsec)))
        #expect(status.device == UInt64(expected.st_dev))
        #expect(status.type == .regular && !status.isDirectory && !status.isMountRoot)
    }

    @Test func anEmptyNameIsTheDirectoryItself() throws {
        let status = try EntryStatus(of: "", in: scratch.number)
        #expect(status.isDirectory)
        var expected = stat()
        #expect(lstat(scratch.path, &expected) == 0)
        #expect(status.inode == expected.st_ino)
        let root = try Directory.open("/", access: .path)
        #expect(try EntryStatus(of: "proc", in: root.number).isMountRoot)
    }

    /// File systems of different major numbers: the root, procfs and the scratch directory.
    @Test(arguments: ["/", "/proc", "/dev", "/tmp", "/sys"])
    func theDeviceIsTheNumberThatStatPrints(path: String) throws {
        var expected = stat()
        try #require(lstat(path, &expected) == 0)
        let directory = try Directory.open(path, access: .path)
        #expect(try EntryStatus(of: "", in: directory.number).device == UInt64(expected.st_dev))
    }

    /// Programs that may not use openat2(2) open by other calls, which give the same directories and the same errors.
    @Test(arguments: [O_RDONLY, 0o10000000])
    func directoriesAreOpenedWithoutOpenat2(access: CInt) throws {
        for name in ["a", "a/b", "a/b/c"] { #expect(mkdir(scratch.path + "/" + name, 0o755) == 0) }
        try scratch.write("file", "")
        try Entry.makeSymlink("link", in: scratch.number, to: "a")
        try Entry.makeSymlink("out", in: scratch.number, to: "/")
        let root = try Directory.open("/", access: .path)
        let flags = UInt64(O_DIRECTORY | O_CLOEXEC | access)
        /// The inode of what was opened, or the negated error.
        func result(_ descriptor: Int) throws -> Int64 {
            guard descriptor >= 0 else { return Int64(descriptor) }
            defer { close(CInt(descriptor)) }
            return Int64(try EntryStatus(of: "", in: CInt(descriptor)).inode)
        }
        for path in [
            "a", "a/b", "a/b/c", "a//b", "a/", "./a/./b", ".", "", "..", "../a", "/", "/a", "none", "a/none", "file",
            "file/x",
            "link", "link/b", "out", "out/usr", String(repeating: "n", count: 256),
            String(repeating: "n", count: 5_000),
        ] {
            let expected = try result(clinux_openat2(scratch.number, path, flags, Directory.beneath))
            #expect(
                try result(clinux_open_beneath(scratch.number, path, flags, Directory.beneath)) == expected,
                "\(path.prefix(300))")
        }
        for path in ["proc", "proc/self", "sys", "usr"] {
            let expected = try result(clinux_openat2(root.number, path, flags, Directory.beneath))
            #expect(try result(clinux_open_beneath(root.number, path, flags, Directory.beneath)) == expected, "\(path)")
        }
    }

    @Test func symlinksAreNotFollowed() throws {
        try Entry.makeSymlink("link", in: scratch.number, to: "/usr")
        #expect(try EntryStatus(of: "link", in: scratch.number).type == .symlink)
        #expect(throws: SystemError.tooManyLinks) {
            _ = try Directory.open("link", beneath: scratch.number, access: .path)
        }
        #expect(throws: SystemError.tooManyLinks) { _ = try Entry.openForReading("link", in: scratch.number) }
    }

    @Test func symlinksSayWhereTheyPoint() throws {
        try Entry.makeSymlink("link", in: scratch.number, to: "../some where")
        var buffer = [UInt8](repeating: 0, count: 64)
        let count = try buffer.withUnsafeMutableBytes { bytes throws(SystemError) in
            try Entry.readSymlink("link", in: scratch.number, into: bytes)
        }
        #expect(String(decoding: buffer[..<count], as: UTF8.self) == "../some where")
        #expect(throws: SystemError.invalid) {
            _ = try buffer.withUnsafeMutableBytes { bytes throws(SystemError) in
                try Entry.readSymlink(".", in: scratch.number, into: bytes)
            }
        }
    }

    @Test func nothingIsOpenedOutside() throws {
        try Directory.make("d", in: scratch.number, mode: 0o755)
        _ = try Directory.open("d", beneath: scratch.number, access: .reading)
        _ = try Directory.open(".", beneath: scratch.number, access: .reading)
        #expect(throws: SystemError.crossesDevice) {
            _ = try Directory.open("..", beneath: scratch.number, access: .path)
        }
        #expect(throws: SystemError.crossesDevice) {
            _ = try Directory.open("/tmp", beneath: scratch.number, access: .path)
        }
        let root = try Directory.open("/", access: .path)
        #expect(throws: SystemError.crossesDevice) {
            _ = try Directory.open("proc", beneath: root.number, access: .path)
        }
        try scratch.write("file", "")
        #expect(throws: SystemError.notDirectory) {
            _ = try Directory.open("file", beneath: scratch.number, access: .path)
        }
        #expect(throws: SystemError.noEntry) {
            _ = try Directory.open("none", beneath: scratch.number, access: .path)
        }
    }

    @Test func entriesAreAllReadThroughASmallBuffer() throws {
        var expected: Set<String> = []
        for index in 0..<300 {
            let name = String(repeating: "n", count: index % 200 + 1) + "\(index)"
            expected.insert(name)
            try scratch.write(name, "")
        }
        var found: [String] = []
        try withUnsafeTemporaryAllocation(byteCount: 1024, alignment: 8) { buffer in
            while true {
                let count = try Directory.readEntries(of: scratch.number, into: buffer)
                if count == 0 { break }
                Directory.forEachEntry(in: UnsafeRawBufferPointer(rebasing: buffer[..<count])) {
                    found.append(String(decoding: $0, as: UTF8.self))
                    #expect(
                        $0.baseAddress.map { name in name.load(fromByteOffset: found.last!.utf8.count, as: UInt8.self) }
                            == 0)
                }
            }
        }
        #expect(found.count == expected.count)
        #expect(Set(found) == expected)
    }

    @Test func brokenRecordsEndTheReading() {
        var record = [UInt8](repeating: 0, count: 48)
        record[16] = 24
        record[19] = UInt8(ascii: "a")
        func names(_ bytes: [UInt8]) -> Int {
            var count = 0
            bytes.withUnsafeBytes { Directory.forEachEntry(in: $0) { _ in count += 1 } }
            return count
        }
        #expect(names(record) == 1)
        // A second record whose length is 0, too small, or beyond the end.
        for length: UInt8 in [0, 5, 25, 255] {
            record[40] = length
            #expect(names(record) == 1)
        }
        // A name without an end.
        #expect(names(Array(record[..<16]) + [24, 0, 0] + [97, 97, 97, 97, 97]) == 0)
        #expect(names([]) == 0)
    }

    @Test func renamesExchangeAndKeep() throws {
        try scratch.write("a", "1")
        try scratch.write("b", "22")
        try Entry.rename("a", in: scratch.number, to: "b", in: scratch.number, mode: .exchange)
        #expect(try EntryStatus(of: "a", in: scratch.number).size == 2)
        #expect(throws: SystemError.exists) {
            try Entry.rename("a", in: scratch.number, to: "b", in: scratch.number, mode: .keep)
        }
        try Entry.rename("a", in: scratch.number, to: "b", in: scratch.number)
        #expect(try EntryStatus(of: "b", in: scratch.number).size == 2)
        try Entry.remove("b", in: scratch.number)
        #expect(throws: SystemError.noEntry) { _ = try EntryStatus(of: "b", in: scratch.number) }
    }

    @Test func extendedAttributes() throws {
        try scratch.write("file", "")
        func get(_ key: String, of name: String = "file", room: Int = 64) throws -> String? {
            try withUnsafeTemporaryAllocation(byteCount: room, alignment: 1) { buffer in
                try ExtendedAttributes.get(key, of: name, in: scratch.number, into: buffer)
                    .map { String(decoding: buffer[..<$0], as: UTF8.self) }
            }
        }
        #expect(try get("user.test") == nil)
        try Array("value".utf8).withUnsafeBytes {
            try ExtendedAttributes.set("user.test", of: "file", in: scratch.number, to: $0)
            try ExtendedAttributes.set("user.test", of: "", in: scratch.number, to: $0)
        }
        #expect(try get("user.test") == "value")
        #expect(try get("user.test", of: "") == "value")
        #expect(throws: SystemError.range) { _ = try get("user.test", room: 2) }
        let keys = try withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            let count = try ExtendedAttributes.list(of: "file", in: scratch.number, into: buffer)
            return String(decoding: buffer[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
        }
        #expect(keys.split(separator: "\0").contains("user.test"))
        try ExtendedAttributes.remove("user.test", of: "file", in: scratch.number)
        #expect(try get("user.test") == nil)
        #expect(throws: SystemError.noEntry) { _ = try get("user.test", of: "none") }
    }

    @Test func aLockedFileIsHeldByOne() throws {
        let path = scratch.path + "/lock"
        do {
            let held = try LockedFile(path)
            #expect(throws: SystemError.wouldBlock) { _ = try LockedFile(path) }
            _ = consume held
        }
        _ = try LockedFile(path)
    }

    /// As a child process has one for a moment, which other tests start.
    @Test func aCopyOfItsDescriptorDoesNotHoldTheFile() throws {
        let path = scratch.path + "/lock"
        let copy: CInt
        do {
            let held = try LockedFile(path)
            copy = dup(held.descriptor.number)
            _ = consume held
        }
        defer { close(copy) }
        #expect(copy >= 0)
        _ = try LockedFile(path)
    }

    @Test func descriptorsAreClosedAndReleased() throws {
        let number: CInt
        do {
            let directory = try Directory.open(scratch.path, access: .path)
            number = directory.number
            #expect(fcntl(number, F_GETFD) == FD_CLOEXEC)
        }
        let released = try Directory.open(scratch.path, access: .path).release()
        #expect(fcntl(released, F_GETFD) == FD_CLOEXEC)
        #expect(close(released) == 0)
    }

    /// As opendir(3): names are known without the right to search the directory.
    @Test func namesAreReadWithTheRightToReadAlone() throws {
        for name in ["b", "a", ".hidden"] { try scratch.write(name, "") }
        #expect(chmod(scratch.path, 0o400) == 0)
        let names = try Directory.names(in: scratch.path)
        #expect(chmod(scratch.path, 0o700) == 0)
        #expect(names == [".hidden", "a", "b"])
        #expect(throws: SystemError.noEntry) { try Directory.names(in: scratch.path + "/none") }
    }
}
