// The completions of a half typed word.
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

    @Test func `Bash is offered nothing that it would expand, which would run what was only typed`() {
        let typed = ["'$(id)' AND si", "`id` AND si", "$x,si", "~,si", "{a,b},si", "*,si", "\\,si", "a b,si", "\n,si"]
        for text in typed {
            for words in [Completions.predicates(text), Completions.list(text)] {
                #expect(Completions.harmless(words, isExpanded: false) == words)
                #expect(Completions.harmless(words, isExpanded: true).allSatisfy { !$0.contains(/[^a-zA-Z,]/) })
            }
        }
        #expect(Completions.harmless(Completions.list("path,si"), isExpanded: true).contains("path,size"))
        #expect(Completions.harmless(Completions.predicates("na"), isExpanded: true) == ["name"])
        #expect(
            Completions.offered(["grocery", "org.example.notes", "a_b-2", "$(id)", "`id`", "a b", "--user", "ä", "a\n"])
                == ["grocery", "org.example.notes", "a_b-2"])
    }

    @Test func `A daemon that sleeps is not started by the tab key`() {
        var machine = MadeUpMachine()
        #expect(!Completions.isAsleep(Connection(choice: .system), machine))
        machine.service?["ActiveState"] = "inactive"
        #expect(Completions.isAsleep(Connection(choice: .system), machine))
        #expect(!Completions.isAsleep(Connection(socket: "/s"), machine), "of which no unit is known")
        machine.socketUnit["ActiveState"] = "inactive"
        #expect(!Completions.isAsleep(Connection(choice: .system), machine))
        machine.service = nil
        #expect(!Completions.isAsleep(Connection(choice: .system), machine))
    }

    @Test func `The daemon that is meant`() {
        #expect(Completions.connection(["gather", "find", "--user"]).choice == .user)
        #expect(Completions.connection(["gather", "--system", "find"]).choice == .system)
        #expect(Completions.connection(["gather", "--socket", "/s", "find"]).socket == "/s")
        #expect(Completions.connection(["gather", "--socket=/t"]).socket == "/t")
        #expect(Completions.connection(["gather", "--socket"]).socket == nil)
    }

    @Test func optionsThatDoNotExistAreNotOffered() {
        for typed in ["-", "--", "--na", "-s"] { #expect(Completions.predicates(typed) == []) }
    }

    @Test func zshCompletesInsideQuotes() {
        func offered(_ typed: String, isZsh: Bool) -> [String] {
            Completions.forShell(Completions.predicates(typed), typed, isZsh: isZsh)
        }
        #expect(offered("\"size > 3 AND modi", isZsh: true) == ["size > 3 AND modified"])
        #expect(offered("'na", isZsh: true) == ["name"])
        #expect(offered("na", isZsh: true) == ["name"])
        #expect(offered("bitwiseAnd:with:(mod", isZsh: true).contains("bitwiseAnd\\:with\\:(mode"))
        #expect(offered("'na", isZsh: false) == ["'name"])
        let words = ["gather", "find", "\"size > 3 AND modi"]
        #expect(Completions.typed(words, 2, "\"siz", isZsh: true) == words[2])
        #expect(Completions.typed(words, 2, "\"siz", isZsh: false) == "\"siz")
        #expect(Completions.typed(["gather", "find", "name"], 2, "na", isZsh: true) == "na")
    }
}
