// The file that is locked in place of its directory.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import TestSupport
import Testing

@testable import LinuxSystem

struct DirectoryLockFileTests {
    private func inDirectory(_ body: (String, borrowing Descriptor) throws -> Void) throws {
        let path = NSTemporaryDirectory() + "gather-lock-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: path) }
        try body(path, Directory.open(path, access: .reading))
    }

    @Test func oneHolderAtATimeHasTheLockAndTakesTheFileAlong() throws {
        try inDirectory { path, directory in
            var holder = try DirectoryLockFile.locking(directory.number)
            #expect(holder != nil)
            #expect(throws: SystemError.wouldBlock) { try DirectoryLockFile.locking(directory.number) }
            #expect(try FileManager.default.contentsOfDirectory(atPath: path) == [DirectoryLockFile.name])
            holder = nil
            #expect(try FileManager.default.contentsOfDirectory(atPath: path) == [])
            holder = try DirectoryLockFile.locking(directory.number)
            #expect(holder != nil)
        }
    }

    @Test func aFileThatAKilledProcessLeftIsLockedAgain() throws {
        try inDirectory { path, directory in
            try Data().write(to: URL(filePath: path + "/" + DirectoryLockFile.name))
            let holder = try DirectoryLockFile.locking(directory.number)
            #expect(holder != nil)
            #expect(throws: SystemError.wouldBlock) { try DirectoryLockFile.locking(directory.number) }
        }
    }

    @Test func othersWhoMayWriteToTheDirectoryMayLockIt() throws {
        try inDirectory { path, directory in
            try FileManager.default.setAttributes([.posixPermissions: 0o2775], ofItemAtPath: path)
            let holder = try DirectoryLockFile.locking(directory.number)
            let file = path + "/" + DirectoryLockFile.name
            let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
            #expect(holder != nil && mode == 0o660)
        }
    }

    @Test(arguments: [
        (0o700, 0o600), (0o755, 0o600), (0o750, 0o600), (0o775, 0o660), (0o2770, 0o660), (0o777, 0o666), (0o757, 0o606),
    ])
    func theFileIsOpenToThoseWhoMayWriteToTheDirectoryAlone(directoryMode: Int, mode: Int) throws {
        try inDirectory { path, directory in
            try FileManager.default.setAttributes([.posixPermissions: directoryMode], ofItemAtPath: path)
            let holder = try DirectoryLockFile.locking(directory.number)
            let file = path + "/" + DirectoryLockFile.name
            let found = try FileManager.default.attributesOfItem(atPath: file)
            #expect(holder != nil && found[.posixPermissions] as? Int == mode)
        }
    }

    /// The bytes of an access list.
    private func list(_ entries: [(tag: UInt16, permissions: UInt16, id: UInt32)]) -> [UInt8] {
        func bytes<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
            withUnsafeBytes(of: number.littleEndian) { Array($0) }
        }
        return bytes(UInt32(2)) + entries.flatMap { bytes($0.tag) + bytes($0.permissions) + bytes($0.id) }
    }

    @Test func theFileIsOpenToTheUsersOfTheAccessListWhoMayWrite() throws {
        try inDirectory { path, directory in
            let (own, named, ownGroup, namedGroup, mask, other): (UInt16, UInt16, UInt16, UInt16, UInt16, UInt16) = (
                1, 2, 4, 8, 0x10, 0x20
            )
            let access = list([
                (own, 7, .max), (named, 7, 12_345), (named, 5, 12_346), (ownGroup, 5, .max), (namedGroup, 7, 12_347),
                (namedGroup, 5, 12_348), (mask, 7, .max), (other, 5, .max),
            ])
            try access.withUnsafeBytes {
                try ExtendedAttributes.set("system.posix_acl_access", of: "", in: directory.number, to: $0)
            }
            // Users who get nothing by it would get the rights of their groups without an entry.
            let expected = list([
                (own, 6, .max), (named, 6, 12_345), (named, 0, 12_346), (ownGroup, 0, .max), (namedGroup, 6, 12_347),
                (mask, 6, .max), (other, 0, .max),
            ])
            let holder = try DirectoryLockFile.locking(directory.number)
            #expect(holder != nil)
            let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1_024, alignment: 8)
            defer { buffer.deallocate() }
            let count = try ExtendedAttributes.get(
                "system.posix_acl_access", of: DirectoryLockFile.name, in: directory.number, into: buffer)
            #expect(Array(buffer[..<(count ?? 0)]) == expected)
            // The next one takes the same file.
            #expect(throws: SystemError.wouldBlock) { try DirectoryLockFile.locking(directory.number) }
        }
    }

    /// A process that may read the directory, and locks whatever it can open.
    private func stranger(_ path: String, as user: Int? = nil) async throws -> ChildProcess {
        let command = ["/usr/bin/flock", path, "/bin/sh", "-c", "echo locked; cat"]
        let other = user.map { ["/usr/bin/setpriv", "--reuid=\($0)", "--regid=\($0)", "--clear-groups"] } ?? []
        let words = other + command
        let process = ChildProcess(path: words[0], Array(words.dropFirst()), input: nil)
        try #require(await process.nextLine() == "locked")
        return process
    }

    @Test func aReaderWhoLocksTheDirectoryIsNotWaitedFor() async throws {
        let path = NSTemporaryDirectory() + "gather-lock-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: path) }
        let reader = try await stranger(path)
        defer { reader.kill(SIGKILL) }
        let directory = try Directory.open(path, access: .reading)
        #expect(try directory.lockDirectory() != nil)
        // If this file cannot be opened, the state of the lock is unknown.
        mkdir(path + "/" + DirectoryLockFile.name, 0o700)
        #expect(throws: SystemError.busy) { try directory.lockDirectory() }
        // Here a user who may not write may not read.
        chmod(path, 0o700)
        #expect(throws: SystemError.wouldBlock) { try directory.lockDirectory() }
    }

    @Test func aReaderWhoLocksAnOldFileIsNotWaitedFor() async throws {
        let path = NSTemporaryDirectory() + "gather-lock-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: path) }
        let file = path + "/" + DirectoryLockFile.name
        try Data().write(to: URL(filePath: file))
        chmod(file, 0o644)
        let reader = try await stranger(file)
        defer { reader.kill(SIGKILL) }
        let directory = try Directory.open(path, access: .reading)
        let holder = try directory.lockDirectory()
        #expect(holder != nil)
        #expect(throws: SystemError.wouldBlock) { try directory.lockDirectory() }
    }

    @Test(.needsRoot("other users"), arguments: [(0o775, true), (0o755, false)])
    func usersOfTheGroupShareTheFileAndOthersCannotOpenIt(mode: mode_t, isShared: Bool) async throws {
        let path = "/tmp/gather-lock-\(UUID().uuidString.prefix(8))"
        mkdir(path, 0o700)
        defer { try? FileManager.default.removeItem(atPath: path) }
        let (owner, member, other): (uid_t, Int, Int) = (61_001, 61_002, 61_003)
        chown(path, owner, gid_t(member))
        chmod(path, mode)
        let reader = try await stranger(path, as: other)
        defer { reader.kill(SIGKILL) }
        let directory = try Directory.open(path, access: .reading)
        let holder = try directory.lockDirectory()
        #expect(holder != nil)
        func mayOpen(_ user: Int) async -> Bool {
            await ChildProcess(
                path: "/usr/bin/setpriv",
                [
                    "--reuid=\(user)", "--regid=\(user)", "--clear-groups", "/bin/sh", "-c",
                    ": <>\(path)/\(DirectoryLockFile.name)",
                ]
            ).result().status == 0
        }
        #expect(await mayOpen(Int(owner)))
        #expect(await mayOpen(member) == isShared)
        #expect(await !mayOpen(other))
    }

    @Test func aProcessThatLocksOnlyTheDirectoryWaitsForTheHolderOfTheFile() async throws {
        let path = NSTemporaryDirectory() + "gather-lock-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: path) }
        func canLock() async -> Bool {
            await ChildProcess(path: "/usr/bin/flock", ["--nonblock", path, "/bin/true"]).result().status == 0
        }
        let directory = try Directory.open(path, access: .reading)
        var holder = try directory.lockDirectory()
        #expect(holder != nil)
        #expect(await !canLock())
        holder = nil
        #expect(await canLock())
    }

    @Test func aFileThatHasTakenTheNameMeanwhileStays() throws {
        try inDirectory { path, directory in
            let file = path + "/" + DirectoryLockFile.name
            var holder = try DirectoryLockFile.locking(directory.number)
            #expect(holder != nil)
            try FileManager.default.removeItem(atPath: file)
            try Data("other".utf8).write(to: URL(filePath: file))
            holder = nil
            #expect(try Data(contentsOf: URL(filePath: file)) == Data("other".utf8))
        }
    }

    @Test func filesThatKilledProcessesLeftAreRemoved() throws {
        try inDirectory { path, directory in
            for name in [DirectoryLockFile.name, DirectoryLockFile.temporary] {
                try Data().write(to: URL(filePath: path + "/" + name))
                chmod(path + "/" + name, 0o644)
            }
            var holder = try DirectoryLockFile.locking(directory.number)
            #expect(holder != nil)
            #expect(try FileManager.default.contentsOfDirectory(atPath: path) == [DirectoryLockFile.name])
            holder = nil
            #expect(try FileManager.default.contentsOfDirectory(atPath: path) == [])
        }
    }

    @Test func aFileWithTheModeOfTheDirectoryIsTheLastResort() throws {
        try inDirectory { path, directory in
            chmod(path, 0o750)
            let holder = try DirectoryLockFile.locking(directory.number, isOpen: true)
            let found = try FileManager.default.attributesOfItem(atPath: path + "/" + DirectoryLockFile.name)
            #expect(holder != nil && found[.posixPermissions] as? Int == 0o640)
            #expect(throws: SystemError.wouldBlock) { try DirectoryLockFile.locking(directory.number, isOpen: true) }
        }
    }

    @Test(.needsRoot("mounts"), arguments: [(0o755, 0o600), (0o775, 0o660), (0o757, 0o606)])
    func withoutAccessListsTheModeOpensTheFileToTheOwnerOfTheDirectory(directoryMode: mode_t, mode: Int) async throws {
        let path = "/tmp/gather-lock-\(UUID().uuidString.prefix(8))"
        mkdir(path, 0o755)
        defer { rmdir(path) }
        // This file system has no access lists.
        try #require(
            await ChildProcess(path: "/bin/mount", ["-t", "ramfs", "none", path]).result().status == 0)
        defer { umount2(path, CInt(MNT_DETACH)) }
        let (owner, group): (uid_t, gid_t) = (61_001, 61_002)
        chown(path, owner, group)
        chmod(path, directoryMode)
        let directory = try Directory.open(path, access: .reading)
        let holder = try directory.lockDirectory()
        let found = try FileManager.default.attributesOfItem(atPath: path + "/" + DirectoryLockFile.name)
        #expect(holder != nil && found[.posixPermissions] as? Int == mode)
        #expect(found[.ownerAccountID] as? Int == Int(owner))
        #expect(throws: SystemError.wouldBlock) { try directory.lockDirectory() }
    }

    @Test func aNameThatIsNoFileLocksNothing() throws {
        try inDirectory { path, directory in
            try FileManager.default.createDirectory(
                atPath: path + "/" + DirectoryLockFile.name, withIntermediateDirectories: false)
            #expect(try DirectoryLockFile.locking(directory.number) == nil)
        }
    }
}
