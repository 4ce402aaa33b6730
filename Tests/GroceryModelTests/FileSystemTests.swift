// Blocking calls on files.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import GroceryModel

@Suite struct FileSystemTests {
    @Test func `A text that was read is kept, also if its file is gone`() throws {
        let directory = FileManager.default.temporaryDirectory.path + "/grocery-text-\(UUID())"
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let path = directory + "/a/item.txt"
        #expect(!FileSystem.keepText(nil, at: path))
        #expect(FileSystem.keepText(Array("Milk\n".utf8), at: path))
        #expect(try FileSystem.read(path, limit: 100) == Array("Milk\n".utf8))
        // A file that is there has the text of its user.
        #expect(FileSystem.keepText(Array("other".utf8), at: path))
        #expect(try FileSystem.read(path, limit: 100) == Array("Milk\n".utf8))
        #expect(FileSystem.sizeText(path, beyond: 4) == "5 bytes")
        #expect(FileSystem.sizeText("/dev/zero", beyond: 4) == "more than 4 bytes")
    }
}
