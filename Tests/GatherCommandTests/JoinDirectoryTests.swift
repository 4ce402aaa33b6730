// The directory of a container that is joined.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

@testable import gather

struct JoinDirectoryTests {
    private func withDirectory(_ body: (String) throws -> Void) rethrows {
        let directory = NSTemporaryDirectory() + "join-\(UUID().uuidString.prefix(8))"
        mkdir(directory, 0o755)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        try body(directory)
    }

    private func isDirectory(_ path: String) -> Bool {
        var isDirectory: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) && isDirectory.boolValue
    }

    @Test func missingDirectoriesAreMade() throws {
        try withDirectory { directory in
            for path in ["/a/b/c", "/d//e/"] {
                try JoinDirectory(directory + path).make(mayHaveFiles: false)
                #expect(isDirectory(directory + path))
            }
            try JoinDirectory(directory + "/a/b/c").make(mayHaveFiles: false)
        }
    }

    @Test func ownNamesOfSyncthingAreNoFiles() throws {
        try withDirectory { directory in
            for name in [".stfolder", ".stversions", ".gather"] { mkdir(directory + "/" + name, 0o755) }
            try JoinDirectory(directory).make(mayHaveFiles: false)
        }
    }

    @Test func filesAreRefusedUnlessTheyMayBeMerged() throws {
        try withDirectory { directory in
            try Data().write(to: URL(filePath: directory + "/note.txt"))
            let failure = #expect(throws: Failure.self) { try JoinDirectory(directory).make(mayHaveFiles: false) }
            #expect(failure?.message.contains("note.txt") == true && failure?.message.contains("--merge") == true)
            try JoinDirectory(directory).make(mayHaveFiles: true)
            for path in ["/note.txt", "/note.txt/x"] {
                let failure = #expect(throws: Failure.self) {
                    try JoinDirectory(directory + path).make(mayHaveFiles: true)
                }
                #expect(failure?.message.contains(String(cString: strerror(ENOTDIR))) == true)
            }
        }
    }

    @Test(arguments: ["", ".", "..", "../etc", "a/b", ".hidden"])
    func nameThatLeavesTheHomeDirectoryIsRefused(_ name: String) {
        #expect(throws: Failure.self) { try JoinDirectory.usual(name) }
    }
}
