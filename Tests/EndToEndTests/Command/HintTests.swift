// No answer is silently empty: the words that were probably meant stand on standard error.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import GatherKit
import Glibc
import TestSupport
import Testing

@Suite(.serialized)
struct HintTests {
    @Test func unquotedPredicateIsAnErrorWithTheQuotedOne() async throws {
        let daemon = try await TestDaemon()
        for (words, meant) in [
            (["name", "LIKE", "Item_*"], "\"name LIKE 'Item_*'\""),
            (["name", "==", "my", "file.txt", "AND", "size", ">", "10"], "\"name == 'my file.txt' AND size > 10\""),
            (["size", ">", "1MB"], "\"size > 1MB\""), (["kind", "==", "'file'"], "\"kind == 'file'\""),
        ] {
            for command in ["find", "watch", "count", "explain"] {
                let result = await ChildProcess(.gather, [command] + words + ["--socket", daemon.socket.path]).result()
                #expect(result.status == 64 && result.text == "", "\(command) \(words)")
                #expect(
                    result.errors.contains("Did you mean: gather \(command) --socket \(daemon.socket.path) \(meant)"),
                    "\(result.errors)")
            }
        }
        let values = await daemon.gather("values", "owner", "size", ">", "1MB")
        #expect(values.errors.contains("owner \"size > 1MB\""), "\(values.errors)")
    }

    /// A predicate with a mistake is explained by its error alone.
    @Test func onlyAWordIsTakenForAName() async throws {
        let daemon = try await TestDaemon()
        for name in ["My report.txt", "Item_1", "all", ".report", "a.py", "b.py", "c.txt"] {
            try Change.write("", to: daemon.box + "/" + name)
        }
        for (arguments, names) in [
            (["report"], ["My report.txt"]), (["Item_*"], ["Item_1"]), (["all"], ["all"]),
            (["-H", "report"], [".report", "My report.txt"]), (["-g", "[ab].py"], ["a.py", "b.py"]),
            (["-g", "*.{py,txt}"], ["My report.txt", "a.py", "b.py", "c.txt"]),
            (["-e", "py,txt", "-e", "x"], ["My report.txt", "a.py", "b.py", "c.txt"]),
        ] {
            for options in [[], ["--json"]] {
                let result = await ChildProcess(
                    .gather, ["find", "--socket", daemon.socket.path] + arguments + options
                ).result()
                #expect(result.status == 0 && result.errors == "", "\(result.errors)")
                if options.isEmpty {
                    #expect(result.lines.map { String($0.dropFirst(daemon.box.count + 1)) }.sorted() == names)
                }
            }
        }
        for (word, meant) in [
            ("^my", "name MATCHES[c] 'my.*'"), ("src/extras", "path CONTAINS[c] '/src/extras'"),
            ("x\\.txt$", "name MATCHES[c] '.*x\\\\.txt'"),
            ("img_\\d{2,4}", "name MATCHES[c] '.*img_\\\\d{2,4}.*'"), ("jpe?g", "name MATCHES[c] '.*jpe?g.*'"),
        ] {
            for options in [[], ["-t", "f"], ["--json"]] {
                let result = await ChildProcess(
                    .gather, ["find", "--socket", daemon.socket.path, word] + options
                ).result()
                #expect(result.status == 0 && result.text == "")
                if options != ["--json"] { #expect(result.errors.hasSuffix("; write \(meant)\n"), "\(result.errors)") }
                #expect(result.errors.split(separator: "\n").count == 1, "\(result.errors)")
            }
        }
        for text in ["name ~ 'x'", "hidden", "size 10M", "title LIKE[c] '*milk*'"] {
            let result = await daemon.gather("find", text)
            #expect(result.status == 2)
            #expect(!result.errors.contains("Did you mean"), "\(result.errors)")
        }
    }

    @Test func allErrorsHaveOnePrefix() async throws {
        let daemon = try await TestDaemon()
        for (arguments, status) in [
            (["find", "--name", "x"], 64), (["find", "-name", "x"], 64), (["find", "-mtime", "2"], 64),
            (["find", "--frobnicate"], 64), (["find", "--limit", "0", ""], 64), (["find", "--sort", "foo", ""], 64),
            (["values", "foo"], 64), (["nothing"], 64), (["find", "size =="], 2), (["find", "-g", "[a"], 64),
            (["watch", "--exec"], 64),
        ] as [([String], Int32)] {
            let result = await ChildProcess(
                .gather, arguments, environment: ["GATHER_SOCKET": daemon.socket.path]
            ).result()
            #expect(result.status == status && result.text == "", "\(arguments): \(result)")
            #expect(result.errors.hasPrefix("gather: "), "\(result.errors)")
            #expect(!result.errors.contains("Error:"), "\(result.errors)")
        }
        let explained = await daemon.gather("explain", "--changed-within", "7d", "-t", "f")
        #expect(explained.lines.first?.contains("modified >= '-7d'") == true, "\(explained.text)")
    }

    @Test func commandThatIsMissingOrMisspelledIsNamed() async throws {
        for (arguments, meant) in [
            (["wacth", "name == 'a'"], "Did you mean: gather watch"),
            (["help", "stats"], "Did you mean: gather status"),
            (["name LIKE '*.txt'"], "Did you mean: gather find \"name LIKE '*.txt'\""),
            (["search", "jpg"], "Did you mean: gather find jpg"),
            (["*.txt"], "Did you mean: gather find \"name LIKE '*.txt'\""),
            (["find"], "a predicate is missing; \"\" matches all items"),
            (["watch", "--json"], "a predicate is missing; \"\" matches all items"),
        ] {
            let result = await ChildProcess(.gather, arguments).result()
            #expect(result.status == 64 && result.text == "", "\(arguments)")
            #expect(result.errors.contains(meant), "\(result.errors)")
        }
        #expect(await ChildProcess(.gather, ["help", "watch"]).result().status == 0)
    }

    @Test func pathInPlaceOfAPredicateIsForIn() async throws {
        let daemon = try await TestDaemon()
        for path in [".", "/tmp", "../a"] {
            let result = await daemon.gather("find", path)
            #expect(result.status == 2)
            #expect(
                result.errors.contains("\"\" --in \(path)") && !result.errors.contains("Did you"), "\(result.errors)")
        }
    }

    @Test func patternThatTheShellExpandedIsRecognised() async throws {
        let daemon = try await TestDaemon()
        for name in ["Item_1.txt", "Item_22.txt"] { try Change.write("", to: daemon.box + "/" + name) }
        for words in ["Item_*", "name LIKE Item_*"] {
            let shell = ChildProcess(
                path: "/bin/sh",
                ["-c", "cd '\(daemon.box)' && '\(Product.gather.path)' find \(words) --socket '\(daemon.socket.path)'"])
            let result = await shell.result()
            #expect(result.status == 64)
            #expect(result.errors.contains("\"name LIKE 'Item_*.txt'\""), "\(result.errors)")
        }
    }

    @Test func directoryBehindAWordIsForIn() async throws {
        let daemon = try await TestDaemon()
        let result = await daemon.gather("find", "-e", "pdf", "report", daemon.box)
        #expect(result.status == 64)
        #expect(result.errors.contains("--in \(daemon.box)"), "\(result.errors)")
    }

    @Test func emptyAnswerSaysWhatWasProbablyMeant() async throws {
        let daemon = try await TestDaemon()
        try Change.write("", to: daemon.box + "/a.txt")
        for command in ["find", "count", "values"] {
            let arguments =
                (command == "values" ? ["owner"] : []) + ["name == '*.txt'", "--socket", daemon.socket.path]
            let result = await ChildProcess(.gather, [command] + arguments).result()
            #expect(result.status == 0, "\(command)")
            #expect(result.errors.contains("nothing matches: ") && result.errors.contains("LIKE"), "\(result.errors)")
            #expect(result.errors.split(separator: "\n").count == 1, "\(result.errors)")
        }
        let quiet = await daemon.gather("find", "name == '*.txt'", "--quiet")
        #expect(quiet.status == 1 && quiet.errors == "")
        let objects = await daemon.gather("find", "name == '*.txt'", "--json")
        #expect(objects.status == 0 && objects.text == "")
        // A predicate that matches is no mistake.
        let found = await daemon.gather("find", "name == '*.txt' OR name == 'a.txt'")
        #expect(found.errors == "" && found.lines.count == 1)
        let none = await daemon.gather("find", "name == 'b.txt'")
        #expect(none.errors == "")
    }

    @Test func hiddenNamesThatWereLeftOutAreCounted() async throws {
        let daemon = try await TestDaemon()
        try Change.write("", to: daemon.box + "/.a.txt")
        let found = await daemon.gather("find", "-e", "txt")
        #expect(found.status == 0 && found.text == "")
        #expect(found.errors.contains("1 name with a dot in front; --hidden includes"), "\(found.errors)")
        let hidden = await daemon.gather("find", "-e", "txt", "--hidden")
        #expect(hidden.lines == ["\(daemon.box)/.a.txt"] && hidden.errors == "")
    }

    @Test func attributesNeedsNoDaemon() async throws {
        let nowhere = NSTemporaryDirectory() + "nowhere-\(UUID().uuidString)"
        let result = await ChildProcess(.gather, ["attributes"], environment: ["GATHER_SOCKET": nowhere]).result()
        #expect(result.status == 0 && result.errors == "")
        #expect(result.lines.contains("size\tinteger\tSize in bytes; of a package, of all regular files within."))
        let daemon = try await TestDaemon()
        #expect(await daemon.gather("attributes").text == result.text)
        #expect(await daemon.gather("attributes", "--json").lines.count == result.lines.count)
    }

    @Test func requireExactTellsUnknownFromEmpty() async throws {
        let daemon = try await TestDaemon(containers: ["box", "away"])
        try Change.write("", to: daemon.box + "/a")
        for command in [["find"], ["count"], ["values", "owner"]] {
            let exact = await ChildProcess(
                .gather, command + ["name == 'x'", "--require-exact", "--socket", daemon.socket.path]
            ).result()
            #expect(exact.status == 0, "\(command): \(exact.errors)")
        }
        #expect(await daemon.gather("find", "name == 'x'", "--quiet", "--require-exact").status == 1)
        rmdir(daemon.directory + "/away")
        while try await daemon.client.containers().contains(where: { $0.state != .live }) == false {
            await Task.yield()
        }
        for command in [["find"], ["find", "--quiet"], ["find", "--json"], ["count"], ["values", "owner"]] {
            let unsure = await ChildProcess(
                .gather, command + ["name == 'x'", "--require-exact", "--socket", daemon.socket.path]
            ).result()
            #expect(unsure.status == 3, "\(command): \(unsure.errors)")
            #expect(unsure.errors.contains("may be wrong for: away"), "\(unsure.errors)")
        }
        #expect(await daemon.gather("find", "name == 'x'").status == 0)
    }

    @Test func helpFitsIntoEightyColumns() async throws {
        var waiting: [[String]] = [[]]
        var count = 0
        while let command = waiting.popLast() {
            let help = await ChildProcess(.gather, command + ["--help"]).result()
            for line in help.lines { #expect(line.count <= 80, "\(command): \(line)") }
            // An example that is too long is broken at a blank.
            let examples = help.lines.drop { $0 != "EXAMPLES" }.dropFirst().prefix { !$0.isEmpty }
            #expect(examples.allSatisfy { $0.hasPrefix("  ") }, "\(command): \(examples)")
            // In one or several groups.
            let names = help.lines.drop { !$0.hasSuffix("SUBCOMMANDS:") }
            waiting += names.compactMap { $0.firstMatch(of: /^  ([a-z]+)/).map { command + [String($0.1)] } }
                .filter { $0 != ["help"] }
            count += 1
        }
        #expect(count > 20)
        let wide = await ChildProcess(
            path: "/usr/bin/script", ["-qec", "stty cols 200; '\(Product.gather.path)' find --help", "/dev/null"],
            environment: ["TERM": "xterm"], input: nil
        ).result()
        for line in wide.text.split(separator: "\r\n") { #expect(line.count <= 80, "\(line)") }
    }
}
