// The subscription index: a change meets every query that it can touch, and few others.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import MetadataIndex
import PredicateLanguage
import TestSupport
import Testing

@testable import LiveQueries

@Suite struct SubscriptionIndexTests {
    private static func candidates(
        _ queries: SubscriptionIndex, _ name: String, _ kind: FileKind = .file, _ path: String? = nil,
        row: Row = Row(4_000_000), parent: Row = .root
    ) -> [Int] {
        var found: [Int] = []
        Array(name.utf8).withUnsafeBytes {
            queries.appendCandidates(
                row: row, parent: parent, name: $0, kind: kind, path: Array((path ?? name).utf8), to: &found)
        }
        return found
    }

    /// Two literals of one query may be filed by what both have: nothing of it may stay behind.
    @Test func aQueryIsTakenOutWithAllItsLiterals() throws {
        let environment = PlanEnvironment.test(MetadataIndex(root: NaiveTree.status(.directory)))
        let plans = try [
            "name CONTAINS 'abc'", "name CONTAINS 'zab'", "name CONTAINS 'zab'",
            "name CONTAINS 'abcd' OR name CONTAINS 'zabc'",
        ].map { QueryPlan(try Predicate(parsing: $0, mode: .metadata), environment: environment) }
        var queries = SubscriptionIndex()
        for (number, plan) in plans.enumerated() { queries.file(number, plan) }
        #expect(Self.candidates(queries, "abcd").contains(3) && Self.candidates(queries, "zabc").contains(3))
        queries.unfile(3, plans[3])
        #expect(Set(Self.candidates(queries, "zabcd")) == [0, 1, 2])
        for number in 0..<3 { queries.unfile(number, plans[number]) }
        #expect(Self.candidates(queries, "zabcd").isEmpty)
    }

    /// Whatever the query, if an item matches then it is a candidate; filed and taken out at random.
    @Test(arguments: 0..<10 as Range<UInt64>)
    func everyQueryThatMatchesIsACandidate(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var tree = NaiveTree()
        for _ in 0..<120 { try tree.randomChange(&generator, size: 60) }
        _ = tree.index.takeChanges()
        var queries = SubscriptionIndex()
        var plans: [Int: QueryPlan] = [:]
        for number in 0..<300 {
            let view = generator.pick(Array(tree.views))
            func text(_ identifier: ItemIdentifier?) -> String {
                guard let identifier else { return "nobody" }
                var text: [UInt8] = []
                identifier.appendText(epoch: tree.index.epoch, to: &text)
                return String(decoding: text, as: UTF8.self)
            }
            // Those that name an item, a directory or a place are made for the tree.
            let made = [
                "id == '\(text(view.id))'", "id == '\(text(view.id))' OR name == 'a'",
                "parent == '\(text(tree.index.identifier(of: tree.index.parent(of: view.id.row))))'",
                "path BEGINSWITH '/srv/box/\(view.path.prefix(Int.random(in: 1...12, using: &generator)))'",
                "path == '/srv/box/\(view.path)'", "path LIKE '/srv/box/\(view.path)/*' AND size >= 0",
                "path BEGINSWITH '/srv/bo'", "path == '/srv'",
            ]
            let naive =
                generator.chance(2)
                ? NaiveQuery(text: generator.pick(made)) { _ in true } : generator.pick(NaiveQuery.all)
            let scope = generator.pick(NaiveScope.all)
            let plan = QueryPlan(
                try naive.predicate(), scopes: scope.scopes,
                environment: .test(tree.index))
            queries.file(number, plan)
            plans[number] = plan
            if generator.chance(3), let gone = plans.keys.sorted().randomElement(using: &generator) {
                if let plan = plans.removeValue(forKey: gone) { queries.unfile(gone, plan) }
            }
        }
        #expect(queries.count == plans.count)
        for view in tree.views {
            let found = Set(
                Self.candidates(
                    queries, view.name, view.kind, view.path, row: view.id.row,
                    parent: tree.index.parent(of: view.id.row)))
            for (number, plan) in plans where try plan.matches(view.id.row, in: tree.index) {
                #expect(found.contains(number), "seed \(seed): \(plan.explanation) for \(view.path)")
            }
            #expect(found.isSubset(of: plans.keys))
        }
        for (number, plan) in plans { queries.unfile(number, plan) }
        #expect(queries.count == 0 && !queries.needsPath)
        for view in tree.views {
            let row = view.id.row
            #expect(
                Self.candidates(
                    queries, view.name, view.kind, view.path, row: row, parent: tree.index.parent(of: row)
                ).isEmpty)
        }
    }

    /// Ten thousand queries, of which a change meets the one or two that it can touch.
    @Test func aChangeMeetsFewOfMany() throws {
        let index = MetadataIndex(root: NaiveTree.status(.directory))
        var queries = SubscriptionIndex()
        for number in 0..<10_000 {
            let text: String
            var scopes: [QueryScope] = [.whole]
            switch number % 6 {
            case 0: text = "name == 'file_\(number)'"
            case 1: text = "name LIKE 'begin\(number)_*'"
            case 2: text = "name ENDSWITH '_\(number).end'"
            case 3: text = "fileExtension == 'x\(number)'"
            case 4: text = "name IN {'one_\(number)', 'two_\(number)'}"
            default:
                text = ""
                scopes = [.directory(Array("d\(number)/e".utf8))]
            }
            queries.file(
                number,
                QueryPlan(try Predicate(parsing: text, mode: .metadata), scopes: scopes, environment: .test(index)))
        }
        #expect(Self.candidates(queries, "file_6000") == [6_000])
        #expect(Self.candidates(queries, "file_6001") == [])
        #expect(Self.candidates(queries, "begin1_file") == [1])
        #expect(Self.candidates(queries, "x_2.end") == [2])
        #expect(Self.candidates(queries, "a.x3") == [3])
        #expect(Self.candidates(queries, "two_4") == [4])
        #expect(Self.candidates(queries, "any", .file, "d5/e/f/any") == [5])
        #expect(Self.candidates(queries, "any", .file, "d5/any") == [])
        #expect(Self.candidates(queries, "e", .directory, "d5/e") == [])
    }

    /// Thousands of queries of one shape: a change is tested against those that can match it, and hardly any others.
    @Test(arguments: [
        ("name == 'file_#'", 1), ("name BEGINSWITH 'file_#.'", 1), ("name ENDSWITH '_#.txt'", 1),
        ("name CONTAINS 'file_#.'", 80), ("name LIKE '*le_#.t*'", 80), ("name ==[c] 'FILE_#.TXT'", 1),
        ("name BEGINSWITH[cd] 'Fïle_#.'", 1), ("name ENDSWITH[c] '_#.TXT'", 1), ("name CONTAINS[cd] 'FILE_#.'", 80),
        ("name LIKE[c] '*LE_#.T*'", 80), ("name MATCHES 'file_#[.]t.t'", 80), ("name MATCHES[c] '.*_#\\\\.TX+T'", 80),
        ("fileExtension == 'x#'", 1), ("fileExtension ==[c] 'X#'", 1),
        ("name == 'a#' OR name ENDSWITH '_#.txt' OR name CONTAINS[c] 'Q#W'", 20),
        ("path BEGINSWITH '/srv/box/file_#.'", 1), ("path == '/srv/box/file_#.txt'", 1),
        ("path LIKE '/srv/box/file_#.*'", 1), ("path IN {'/srv/box/file_#.txt', '/srv/box/a/#'}", 1),
        ("path BEGINSWITH '/srv/elsewhere/#'", 0), ("size > # AND path BEGINSWITH '/srv/box/file_#.'", 1),
        ("path BEGINSWITH '/srv/box/x#' OR name == 'file_#.txt'", 1),
        ("kind == 'directory'", 0), ("kind IN {'symlink', 'fifo'} AND size > #", 0),
        ("kind == 'file' AND name LIKE[cd] 'file_#.*'", 1), ("size > # AND name == 'file_#.txt'", 1),
    ])
    func aChangeTestsOnlyCandidates(shape: String, most: Int) throws {
        let index = MetadataIndex(root: NaiveTree.status(.directory))
        var queries = SubscriptionIndex()
        var plans: [QueryPlan] = []
        for number in 0..<2_500 {
            let text = String(
                shape.split(separator: "#", omittingEmptySubsequences: false).joined(separator: "\(number)"))
            let plan = QueryPlan(try Predicate(parsing: text, mode: .metadata), environment: .test(index))
            queries.file(number, plan)
            plans.append(plan)
        }
        var tested = 0
        for number in stride(from: 100, to: 2_500, by: 300) {
            let name = "file_\(number).txt"
            let row = try Array(name.utf8).withUnsafeBytes {
                try index.insert(parent: .root, name: $0, status: NaiveTree.status(.file, size: 1 << 40))
            }
            let found = Set(Self.candidates(queries, name))
            let expected = try Set(plans.indices.filter { try plans[$0].matches(row, in: index) })
            #expect(expected.isSubset(of: found), "\(shape): \(name)")
            tested += found.count
        }
        #expect(tested <= most * 8, "\(shape): \(tested) tests of 8 changes")
        for (number, plan) in plans.enumerated() { queries.unfile(number, plan) }
        #expect(queries.count == 0 && Self.candidates(queries, "file_1000.txt").isEmpty)
    }

    /// Ten thousand queries, each about one item or one directory.
    @Test(arguments: ["id", "parent"]) func aChangeMeetsThoseWhoNameItOrItsDirectory(attribute: String) throws {
        let index = MetadataIndex(root: NaiveTree.status(.directory))
        var queries = SubscriptionIndex()
        var plans: [QueryPlan] = []
        var children: [Row] = []
        for number in 0..<10_000 {
            let directory = try Array("d\(number)".utf8).withUnsafeBytes {
                try index.insert(parent: .root, name: $0, status: NaiveTree.status(.directory))
            }
            let child = try Array("file".utf8).withUnsafeBytes {
                try index.insert(parent: directory, name: $0, status: NaiveTree.status(.file))
            }
            children.append(child)
            let identifier = try #require(index.identifier(of: attribute == "id" ? child : directory))
            var text: [UInt8] = []
            identifier.appendText(epoch: index.epoch, to: &text)
            let predicate = try Predicate(
                parsing: "\(attribute) == '\(String(decoding: text, as: UTF8.self))'", mode: .metadata)
            plans.append(QueryPlan(predicate, environment: .test(index)))
            queries.file(number, plans[number])
        }
        #expect(!queries.needsPath)
        for number in stride(from: 0, to: 10_000, by: 999) {
            let row = children[number]
            let parent = index.parent(of: row)
            #expect(Self.candidates(queries, "file", row: row, parent: parent) == [number])
            #expect(try plans[number].matches(row, in: index))
        }
    }

    /// Patterns and names of odd pieces: a name that a pattern matches is a candidate, whatever folds to what.
    @Test(arguments: TestLength.part(of: 0..<12 as Range<UInt64>, oneIn: 3))
    func matchesAreCandidatesWhateverFolds(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let pieces = [
            "a", "B", "ab", "é", "e\u{301}", "\u{301}", "ß", "SS", "ſ", "K", "k", "İ", "i", "ﬁ", "fi", "Å", "\u{212B}",
            ".", "_", "1", "日", "が", "か\u{3099}", "ñ", "N", "ǰ", "j", "Ω", "ö.txt",
        ]
        let expressions = [
            ".*", ".", "a?", "b+", "(ab)*", "(a.)", "[ab]", "[^b]", "[]a]", "\\\\.", "\\\\d", "a{0,2}", "B", "ab", "k",
            "é", "_",
            "\\\\w+", "x*", "^", "$", "(?:a)", "a|b", "\\\\Qa\\\\E", "i", "1",
        ]
        func text(_ pieces: [String], _ most: Int) -> String {
            (0..<Int.random(in: 1...most, using: &generator)).map { _ in generator.pick(pieces) }.joined()
        }
        var queries = SubscriptionIndex()
        let index = MetadataIndex(root: NaiveTree.status(.directory))
        var plans: [(text: String, plan: QueryPlan)] = []
        while plans.count < 400 {
            let options = generator.pick(["", "[c]", "[d]", "[cd]", "[n]"])
            let attribute = generator.pick(["name", "name", "fileExtension"])
            let predicate: String
            switch Int.random(in: 0..<7, using: &generator) {
            case 0: predicate = "\(attribute) ==\(options) '\(text(pieces, 4))'"
            case 1: predicate = "\(attribute) BEGINSWITH\(options) '\(text(pieces, 2))'"
            case 2: predicate = "\(attribute) ENDSWITH\(options) '\(text(pieces, 2))'"
            case 3: predicate = "\(attribute) CONTAINS\(options) '\(text(pieces, 2))'"
            case 4: predicate = "\(attribute) LIKE\(options) '\(text(pieces + ["*", "?", "*"], 5))'"
            case 5: predicate = "\(attribute) IN\(options) {'\(text(pieces, 3))', '\(text(pieces, 2))'}"
            default: predicate = "\(attribute) MATCHES\(options) '\(text(expressions, 4))'"
            }
            guard let parsed = try? Predicate(parsing: predicate, mode: .metadata) else { continue }
            let plan = QueryPlan(parsed, environment: .test(index))
            queries.file(plans.count, plan)
            plans.append((predicate, plan))
        }
        var matched = 0
        for _ in 0..<400 {
            let name = text(pieces, 4)
            guard name != ".", name != "..", name.utf8.count <= 255 else { continue }
            let row = try? Array(name.utf8).withUnsafeBytes {
                try index.insert(parent: .root, name: $0, status: NaiveTree.status(.file))
            }
            guard let row else { continue }
            let found = Set(Self.candidates(queries, name))
            for (number, (text, plan)) in plans.enumerated() where (try? plan.matches(row, in: index)) ?? false {
                matched += 1
                #expect(found.contains(number), "seed \(seed): \(text) for \(name)")
            }
        }
        #expect(matched > 100)
    }
}
