// Options of other tools, and names of attributes, that are none.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Metadata
import PredicateLanguage
import Testing

@testable import gather

struct ForeignOptionTests {
    /// Each option of another tool names arguments that the parser takes, and a predicate that can be parsed.
    @Test func foreignOptionsNameWhatDoesTheSame() throws {
        var names: Set<String> = []
        for option in ForeignOption.all {
            #expect(names.isDisjoint(with: option.names) && !option.advice.isEmpty)
            names.formUnion(option.names)
            guard !option.instead.isEmpty else { continue }
            let command = try FindCommand.parse(option.instead)
            let (text, _) = try command.question.shortcuts.predicate(command.question.predicate ?? "")
            #expect(try Predicate(parsing: text, mode: .metadata).hints.isEmpty, "\(option.advice)")
        }
        for name in names {
            let message = ForeignOption.message(
                "Error: Unknown option '\(name)'. Did you mean '--user'?\nUsage: x", ["find", name, "x"])
            #expect(message.hasPrefix("unknown option '\(name)'. ") && message.hasSuffix("\nUsage: x"))
            #expect(!message.contains("--user"))
        }
    }

    @Test(arguments: [
        ("Error: Unknown option '--jsn'. Did you mean '--json'?", "Unknown option '--jsn'. Did you mean '--json'?"),
        ("Error: Unknown option '--frobnicate'. Did you mean '--user'?", "Unknown option '--frobnicate'"),
        ("Error: --limit wants a number above 0.\nUsage: x", "--limit wants a number above 0.\nUsage: x"),
    ])
    func otherMessagesOfTheParserStay(_ message: String, _ shown: String) {
        #expect(ForeignOption.message(message, ["find", "-x"]) == shown)
    }

    @Test(arguments: [
        ["find", "--sort", "sise", ""], ["find", "--sort", "-sise", ""], ["find", "--attributes", "path,sise", ""],
        ["values", "sise"], ["show", "--attributes", "sise", "x"], ["watch", "--json", "--attributes", "sise", ""],
    ])
    func anUnknownAttributeIsSuggestedAsInAPredicate(_ arguments: [String]) {
        #expect {
            _ = try Gather.parseAsRoot(arguments)
        } throws: { error in
            Gather.message(for: error).contains("unknown attribute 'sise'; did you mean 'size'?")
        }
    }

    @Test func attributesMayBeRepeated() throws {
        let find = try FindCommand.parse(["--attributes", "path,size", "--attributes", "size,tags", ""])
        #expect(find.attributes?.attributes == [.path, .size, .tags])
        #expect(try FindCommand.parse([""]).attributes == nil)
    }
}
