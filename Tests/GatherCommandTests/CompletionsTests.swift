// What is offered for a word that is half typed.
// SPDX-License-Identifier: Apache-2.0

import GatherKit
import Testing

@testable import gather

struct CompletionsTests {
    @Test func `Attributes with commas between`() {
        #expect(Completions.list("si") == Completions.attributeNames)
        let more = Completions.list("path,size,n")
        #expect(more.contains("path,size,name") && !more.contains("path,size,size") && !more.contains("path,size,path"))
        #expect(more.allSatisfy { $0.hasPrefix("path,size,") })
    }

    @Test(arguments: [
        ("na", ["name"]), ("", nil), ("'siz", ["'size"]), ("\"si", ["\"size"]),
        ("size > 3 AND modi", ["size > 3 AND modified"]),
        ("\"name == 'si", []), ("\"name == 'x' AND si", ["\"name == 'x' AND size"]), ("xyz", []),
        ("NOT ta", ["NOT tags", "NOT target"]),
    ])
    func predicates(_ typed: String, _ offered: [String]?) {
        #expect(Completions.predicates(typed) == offered ?? Completions.attributeNames)
    }

    @Test func `The daemon that is meant`() {
        #expect(Completions.connection(["gather", "find", "--user"]).choice == .user)
        #expect(Completions.connection(["gather", "--system", "find"]).choice == .system)
        #expect(Completions.connection(["gather", "--socket", "/s", "find"]).socket == "/s")
        #expect(Completions.connection(["gather", "--socket=/t"]).socket == "/t")
        #expect(Completions.connection(["gather", "--socket"]).socket == nil)
    }
}
