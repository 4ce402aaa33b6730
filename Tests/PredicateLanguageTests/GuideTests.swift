// Runs the examples of the guide: of gather-predicates(7) and of the README.
// SPDX-License-Identifier: Apache-2.0

import ContentTypes
import Foundation
import Metadata
import PredicateLanguage
import TestSupport
import Testing

@Suite struct GuideTests {
    private let page: GuidePage

    init() throws { page = try GuidePage() }

    @Test func `Examples are true of the file that the page describes`() throws {
        let item = try page.item()
        let examples = page.examples("holds")
        #expect(examples.count > 30)
        for example in examples {
            let predicate = try GuidePage.parse(example)
            #expect(try predicate.evaluate(on: item), "\(example)")
            #expect(try GuidePage.parse(predicate.canonical).evaluate(on: item), "\(example)")
        }
    }

    @Test func `Examples of archives are true of a file in the trash`() throws {
        var item = PlayedItem()
        item.values[.name] = .string("Item_1.txt")
        item.values[.path] = .string("/srv/grocery/.gather/trash/20261125-140509/Item_1.txt")
        let examples = page.examples("trash")
        #expect(!examples.isEmpty)
        for example in examples { #expect(try GuidePage.parse(example).evaluate(on: item), "\(example)") }
    }

    @Test func `Examples that are said to fail are false`() throws {
        let item = try page.item()
        let examples = page.examples("fails")
        #expect(!examples.isEmpty)
        for example in examples { #expect(try !GuidePage.parse(example).evaluate(on: item), "\(example)") }
    }

    @Test func `Examples that are said to be refused are`() {
        let examples = page.examples("refused")
        #expect(!examples.isEmpty)
        for example in examples {
            #expect(throws: PredicateLanguage.PredicateError.self, "\(example)") { try GuidePage.parse(example) }
        }
    }

    @Test func `Examples of objects are true of theirs`() throws {
        for display in page.displays where display.kind.hasPrefix("objects") {
            let object = display.kind.dropFirst("objects".count)
            for example in display.examples {
                let filter = try ObjectFilter(parsing: example)
                #expect(try filter.matches(line: Array(object.utf8)), "\(example)")
            }
        }
        #expect(page.displays.contains { $0.kind.hasPrefix("objects") && !$0.examples.isEmpty })
    }

    @Test func `A shell hands predicates over as they are meant`() async throws {
        let lines = page.displays.filter { $0.kind == "shell" }.flatMap(\.lines)
        #expect(!lines.isEmpty)
        for line in lines {
            let text = await ChildProcess(
                path: "/bin/sh", ["-c", "gather() { printf '%s' \"$2\"; }; " + line]
            ).result().text
            #expect(!text.isEmpty, "\(line)")
            #expect(throws: Never.self, "\(line) gave \(text)") { try GuidePage.parse(text) }
            #expect(!line.contains("$time") || text.contains("$time."), "\(line) gave \(text)")
            #expect(!line.contains("\\\\d") || text.contains("\\\\d"), "\(line) gave \(text)")
        }
    }

    @Test func `The page names every attribute, keyword and function`() {
        let words = Set(page.text.split { !($0.isLetter || $0.isNumber || $0 == ":" || $0 == "-" || $0 == "_") })
        for attribute in Attribute.fixed {
            #expect(words.contains(Substring(attribute.name)), "\(attribute.name) is not mentioned")
        }
        for operation in Comparison.Operator.allCases where operation.rawValue.first?.isLetter == true {
            #expect(words.contains(Substring(operation.rawValue)), "\(operation.rawValue) is not mentioned")
        }
        for function in Function.allCases where function != .noIndex && function.arity == 1 {
            #expect(words.contains(Substring(function.rawValue)), "\(function.rawValue) is not mentioned")
        }
        for unit in TimeExpression.Unit.allCases {
            #expect(words.contains(Substring(unit.rawValue)), "\(unit.rawValue) is not mentioned")
        }
    }

    @Test func predicatesOfTheReadmeAreValid() throws {
        let readme = try SourceTree.text("README.md")
        let commands = readme.matches(of: /gather (?:find|watch|count|values \w+) (?:"([^"\n]+)"|'([^'\n]+)')/)
        let examples = commands.compactMap { $0.1 ?? $0.2 }.map(String.init)
        #expect(examples.count > 12)
        for example in examples {
            #expect(throws: Never.self, "\(example)") { try GuidePage.parse(example) }
        }
    }
}
