// Home directories, compared with the text of the database.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import LinuxSystem

struct HomeDirectoryTests {
    @Test func homesAreThoseOfTheDatabase() throws {
        let text = try String(contentsOfFile: "/etc/passwd", encoding: .utf8)
        var seen: Set<UInt32> = []
        for line in text.split(separator: "\n") {
            let fields = line.split(separator: ":", omittingEmptySubsequences: false)
            guard fields.count == 7, let user = UInt32(fields[2]), seen.insert(user).inserted else { continue }
            #expect(HomeDirectory.path(of: user) == (fields[5].hasPrefix("/") ? String(fields[5]) : nil))
        }
        #expect(seen.contains(0))
        #expect(HomeDirectory.path(of: 0xFFFF_FFF0) == nil)
    }
}
