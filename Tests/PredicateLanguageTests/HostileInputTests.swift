// Texts made to exhaust the stack, the memory or the time.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import Metadata
import PredicateLanguage
import TestSupport
import Testing

@Suite struct HostileInputTests {
    static let tooDeep = "the predicate is nested deeper than 256 levels"

    @Test(
        "Endless nesting is refused",
        arguments: ["(", "{", "NOT ", "!", "-", "a[", "abs(", "1 ** ", "TERNARY(", "SUBQUERY(", "CAST(", "(1 + "])
    func nesting(part: String) {
        let text = String(repeating: part, count: 100_000)
        let prefix = part == "{" || part == "-" || part == "1 ** " ? "a == " : ""
        #expect {
            try Predicate(parsing: prefix + text)
        } throws: { error in
            (error as? PredicateError)?.message == HostileInputTests.tooDeep
        }
        #expect {
            try Predicate(parsing: prefix + text, mode: .metadata)
        } throws: { error in
            (error as? PredicateError)?.message == HostileInputTests.tooDeep
        }
    }

    @Test(
        "Chains that lean to the left are as deep",
        arguments: [" + a", " * a", ".a", "[0]", ".@max"])
    func leaningChains(part: String) {
        let text =
            part == ".@max"
            ? "a.@max" + String(repeating: ".a", count: 9_000) + " == 1"
            : "a" + String(repeating: part, count: 100_000) + " == 1"
        #expect {
            try Predicate(parsing: text)
        } throws: { error in
            (error as? PredicateError)?.message == HostileInputTests.tooDeep
        }
    }

    @Test("The deepest predicates work on a small stack")
    func deepestPredicates() throws {
        let texts = [
            String(repeating: "(", count: 256) + "a == 1" + String(repeating: ")", count: 256),
            String(repeating: "NOT ", count: 256) + "a == 1",
            String(repeating: "NOT (a == 1 OR a == 1 AND ", count: 128) + "a == 1" + String(repeating: ")", count: 128),
            "a == " + String(repeating: "-", count: 254) + "a",
            "a == " + String(repeating: "(1 - ", count: 127) + "a" + String(repeating: ")", count: 127),
            "a == " + String(repeating: "TERNARY(a == 1, ", count: 85) + "a" + String(repeating: ", 2)", count: 85),
            "a" + String(repeating: " + a", count: 255) + " == 256",
            "b" + String(repeating: ".b", count: 255) + " == NULL",
            String(repeating: "SUBQUERY(b, $x, ", count: 80) + "a == 1"
                + String(repeating: ").@count == 0", count: 80),
        ]
        // Half of what a thread has by default. Without optimisation the deepest takes 3 MiB, with it 0.7 MiB.
        try onSmallStack(bytes: 4 << 20) {
            for text in texts {
                do {
                    let predicate = try Predicate(parsing: text)
                    _ = try predicate.evaluate(on: .dictionary(["a": .integer(1)]))
                    let again = try Predicate(parsing: predicate.canonical)
                    if again.root != predicate.root { return "\(text) prints as \(predicate.canonical)" }
                    if again.root.hashValue != predicate.root.hashValue { return "\(text) hashes differently" }
                } catch {
                    return "\(text): \(error)"
                }
            }
            return nil
        }
    }

    @Test func partsAreCounted() throws {
        let fits = (0..<3_300).map { "a == \($0)" }.joined(separator: " OR ")
        #expect(try Predicate(parsing: fits).evaluate(on: .dictionary(["a": .integer(3_299)])))
        let list = "a IN {" + (0..<9_990).map(String.init).joined(separator: ",") + "}"
        #expect(try Predicate(parsing: list).evaluate(on: .dictionary(["a": .integer(9_989)])))
        for text in [fits + " OR " + fits, "a IN {" + String(repeating: "1,", count: 10_000) + "1}"] {
            #expect {
                try Predicate(parsing: text)
            } throws: { error in
                (error as? PredicateError)?.message == "the predicate has more than 10000 parts"
            }
        }
    }

    @Test func literalsMayBeLong() throws {
        let text = String(repeating: "x", count: 1 << 20)
        let predicate = try Predicate(parsing: "a == '\(text)'")
        #expect(try predicate.evaluate(on: .dictionary(["a": .string(text)])))
        #expect(
            try Predicate(parsing: "a == " + String(repeating: "9", count: 300)).root.description.contains("1e+300"))
        #expect(throws: PredicateError("this number is too large", at: 5)) {
            try Predicate(parsing: "a == " + String(repeating: "9", count: 1 << 20))
        }
    }

    @Test(arguments: ["%@ == 1", "a %@ 1", "%@(1) == 1", "a == 1%@", "CAST(a, '%@') == 1", "a.@%@ == 1", "a == '%@'"])
    func messagesAreShort(form: String) {
        let long = String(repeating: "x", count: 1 << 14)
        let text = form.split(separator: "%@", omittingEmptySubsequences: false).joined(separator: long)
        for mode in [Predicate.Mode.objects, .metadata] {
            do throws(PredicateError) { _ = try Predicate(parsing: text, mode: mode) } catch {
                #expect(error.message.count <= 301)
            }
        }
    }

    @Test(arguments: [21, 22, 23, 24] as [UInt64])
    func noTextTraps(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let pieces = [
            "a", "name", "size", "tags", "kind", "modified", "'x'", "'2026-01-31'", "'*'", "1", "-",
            "9223372036854775807",
            "9223372036854775808", "1.5", "10KB", "(", ")", "[", "]", "{", "}", ",", ".", "==", "!=", "<", ">=", "AND",
            "OR", "NOT", "ANY", "NONE", "LIKE", "MATCHES", "IN", "CONTAINS", "BETWEEN", "[cd]", "[FIRST]", "[SIZE]",
            "@count", "@max", "#size", "$x", "$time", "$time.today", "$time.now(-3600)", "now()", "SUBQUERY(tags, $x,",
            "TERNARY(", "CAST(", "'NSDate'", "abs(", "sum(", "modulus:by:(", "+", "*", "**", "/", "nil", "TRUE",
            "TRUEPREDICATE", "SELF", "\u{E9}", "'", "\\", "%", "0x", "0xFF",
        ]
        let item = MetadataValue.dictionary(["a": .integer(.min), "name": .string("x"), "tags": .array([.string("x")])])
        for _ in 0..<6_000 {
            let count = Int.random(in: 1...14, using: &generator)
            let text = (0..<count).map { _ in pieces.randomElement(using: &generator)! }.joined(separator: " ")
            for mode in [Predicate.Mode.objects, .metadata] {
                do throws(PredicateError) {
                    let predicate = try Predicate(parsing: text, mode: mode)
                    let again = try Predicate(parsing: predicate.canonical, mode: mode)
                    #expect(again.root == predicate.root, "seed \(seed): \(text) prints as \(predicate.canonical)")
                    _ = try? predicate.evaluate(on: item)
                    _ = try? predicate.evaluate(on: PlayedItem())
                } catch {
                    // A printed predicate has to read back, so the error is about the text itself.
                    #expect((0...text.utf8.count).contains(error.position), "seed \(seed): \(text)")
                    #expect(
                        (try? Predicate(parsing: text, mode: mode)).map(\.canonical) == nil, "seed \(seed): \(text)")
                }
            }
        }
    }

    /// Runs a body on a thread with a small stack; the text that it gives back is what is wrong.
    private func onSmallStack(bytes: Int, _ body: @escaping @Sendable () -> String?) throws {
        final class Box: @unchecked Sendable {
            // Written by the thread before it ends, read after it is joined.
            var result: String?
            let body: @Sendable () -> String?
            init(_ body: @escaping @Sendable () -> String?) { self.body = body }
        }
        let box = Box(body)
        let attributes = UnsafeMutablePointer<pthread_attr_t>.allocate(capacity: 1)
        defer { attributes.deallocate() }
        pthread_attr_init(attributes)
        defer { pthread_attr_destroy(attributes) }
        #expect(pthread_attr_setstacksize(attributes, bytes) == 0)
        var thread = pthread_t()
        let created = pthread_create(
            &thread, attributes,
            { argument in
                guard let argument else { return nil }
                let box = Unmanaged<Box>.fromOpaque(argument).takeUnretainedValue()
                box.result = box.body()
                return nil
            }, Unmanaged.passUnretained(box).toOpaque())
        try #require(created == 0)
        pthread_join(thread, nil)
        let result = box.result
        #expect(result == nil)
    }

    /// An identifier of a content type becomes a comparison with NOT and OR around it, which count as levels.
    @Test func identifiersAtTheNestingLimitReadBackOrAreRefused() throws {
        for levels in 240...256 {
            let text = String(repeating: "NOT ", count: levels) + "contentType != 'public.jpeg'"
            guard let predicate = try? Predicate(parsing: text, mode: .metadata) else {
                #expect(levels > 250)
                continue
            }
            #expect(try Predicate(parsing: predicate.canonical, mode: .metadata).root == predicate.root, "\(levels)")
        }
        #expect(throws: PredicateError.self) {
            try Predicate(
                parsing: String(repeating: "NOT ", count: 256) + "contentType != 'public.jpeg'", mode: .metadata)
        }
    }

    @Test func aListOfIdentifiersHasAsManyPartsAsItsComparisons() throws {
        func text(_ count: Int) -> String {
            "contentType IN {" + Array(repeating: "'public.jpeg'", count: count).joined(separator: ", ") + "}"
        }
        let predicate = try Predicate(parsing: text(2_000), mode: .metadata)
        #expect(try Predicate(parsing: predicate.canonical, mode: .metadata).root == predicate.root)
        #expect(throws: PredicateError("the predicate has more than 10000 parts", at: 0)) {
            try Predicate(parsing: text(9_000), mode: .metadata)
        }
    }
}
