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

    /// As the parser refuses them.
    @Test(arguments: [
        (["find", "--sort", "-size", "--limit", "x", ""], "The value 'x' is invalid for '--limit"),
        (["find", "--sort", "-size", "-z", ""], "Unknown option '-z'"),
        (["find", "--limit", "x", "", "-name", "z"], "The value 'x' is invalid for '--limit"),
        (["watch", "--limit=x", "", "-x", "find", "-name", "a"], "Unknown option '--limit'"),
        (["find", "-S", "+1x", "", "-size", "1"], "The value '+1x' is invalid for '-S"),
        (["find", "--", "-name", "--limit"], ""),
        (["find", "-name", "x"], "unknown option '-name'. Did you mean: -g"),
        (["find", "-type", "f", "x"], "unknown option '-type'. Did you mean: -t f"),
        (["find", "-size", "+1", "x"], "unknown option '-size'. Did you mean: -S +10M"),
        (["find", "-d2", "x"], "unknown option '-d2'. Did you mean: \"depth <= 2\""),
        (["find", "-E*.o", "x"], "unknown option '-E*.o'. Did you mean: \"NOT name LIKE"),
        (["find", "-Enode_modules", "x"], "unknown option '-Enode_modules'. Did you mean: \"NOT name LIKE"),
        (["find", "--max-depth=2", "x"], "unknown option '--max-depth'. Did you mean: \"depth <= 2\""),
        (["find", "-C", "src", "x"], "unknown option '-C'. Did you mean: --in ."),
        (["find", "--base-directory", "src", "x"], "unknown option '--base-directory'. Did you mean: --in ."),
        (["find", "--search-path=src", "x"], "unknown option '--search-path'. Did you mean: --in ."),
        (["find", "-c", "never", "x"], "unknown option '-c'. there is no such option: a terminal"),
        (["find", "x", "-printf", "%p"], "unknown option '-printf'. Did you mean: --attributes"),
        (["find", "-xdev", "x"], "unknown option '-xdev'. Did you mean: \"device == 2049\""),
        (["find", "-mount", "x"], "unknown option '-mount'. Did you mean: \"device"),
        (["find", "x", "-prune"], "unknown option '-prune'. Did you mean: \"NOT path"),
        (["find", "x", "-o", "y"], "unknown option '-o'. Did you mean: \"name LIKE '*.c' OR"),
        (["find", "x", "-or", "y"], "unknown option '-or'. Did you mean: \"name LIKE '*.c' OR"),
        (["-V"], "unknown option '-V'. 'gather --version'"),
        (["status", "-V"], "unknown option '-V'. 'gather --version'"),
        (["show", "-l", "x"], "unknown option '-l'. Did you mean: --attributes"),
        (["container", "list", "-d", "2"], "Unknown option '-d'"),
    ])
    func theArgumentThatTheParserRefusesGetsTheAdvice(_ arguments: [String], _ shown: String) {
        var message = ""
        do { _ = try Gather.parseAsRoot(arguments) } catch {
            message = ForeignOption.message(Gather.fullMessage(for: error), arguments)
        }
        #expect(message.hasPrefix(shown) && message.isEmpty == shown.isEmpty, "\(message)")
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
