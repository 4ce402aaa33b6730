// The file that is locked in place of its directory.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import LinuxSystem
import Testing

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
            #expect(holder != nil && mode == 0o664)
        }
    }

    @Test func aNameThatIsNoFileLocksNothing() throws {
        try inDirectory { path, directory in
            try FileManager.default.createDirectory(
                atPath: path + "/" + DirectoryLockFile.name, withIntermediateDirectories: false)
            #expect(try DirectoryLockFile.locking(directory.number) == nil)
        }
    }
}
