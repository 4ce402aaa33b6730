// Answers that Syncthing gave, recorded.
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// An answer of a real Syncthing in the directory `Answers`.
enum RecordedAnswer {
    static func bytes(_ name: String) throws -> [UInt8] {
        let directory = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Answers")
        return Array(try Data(contentsOf: directory.appending(path: "\(name)-1.19.2.json")))
    }
}
