// Which containers a further one overlaps, held to a look at each pair.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestSupport
import Testing

@testable import GatherService

@Suite struct ContainerPlacesTests {
    private static let names = ["a", "b", "ab", "link"]

    private static func randomPath(_ random: inout SeededGenerator) -> String {
        (0..<Int.random(in: 0...3, using: &random)).map { _ in
            "/" + names[Int.random(in: 0..<names.count, using: &random)]
        }
        .joined()
    }

    /// By names alone: where both lead, and as both are written.
    private static func overlap(_ one: String, _ other: String) -> Bool {
        func lead(_ path: String) -> String {
            guard let real = realpath(path, nil) else { return path }
            defer { free(real) }
            return String(cString: real)
        }
        func hold(_ one: String, _ other: String) -> Bool {
            let (one, other) = (one.split(separator: "/"), other.split(separator: "/"))
            return one.starts(with: other) || other.starts(with: one)
        }
        return hold(lead(one), lead(other)) || hold(one, other)
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>) func `As with each pair`(seed: UInt64) throws {
        let directory = try TemporaryDirectory()
        for path in ["a", "a/b", "b", "b/ab", "ab"] { try directory.makeDirectory(path) }
        for (target, link) in [("a/b", "link"), ("../ab", "b/link"), ("../nowhere", "a/link")] {
            #expect(symlink(target, directory.path + "/" + link) == 0)
        }
        var random = SeededGenerator(seed: seed)
        var places = ContainerPlaces()
        var added: [ContainerConfiguration] = []
        for number in 0..<60 {
            let path = directory.path + Self.randomPath(&random)
            let container = try ContainerConfiguration(identifier: "c\(number)", path: path, origin: .argument)
            let place = ContainerPlace(container)
            let expected = added.filter { Self.overlap($0.path, path) }
            #expect(places.overlapping(place).map(\.container) == expected, "\(path), seed \(seed)")
            #expect(
                places.sharing(place).map(\.container) == added.filter { $0.resolvedPath == container.resolvedPath },
                "\(path), seed \(seed)")
            // Most that there are overlap: then some stay apart.
            if expected.count < 3 {
                places.append(place)
                added.append(container)
            }
        }
        #expect(places.containers == added)
        #expect(added.allSatisfy { places.container($0.identifier) == $0 })
    }

    @Test func `One around all others`() throws {
        var places = ContainerPlaces()
        for path in ["/nonexistent/a", "/nonexistent/a/b", "/nonexistentially"] {
            places.append(
                ContainerPlace(try ContainerConfiguration(identifier: "c\(path.count)", path: path, origin: .argument)))
        }
        func overlapping(_ path: String) throws -> [String] {
            let container = try ContainerConfiguration(identifier: "new", path: path, origin: .argument)
            return places.overlapping(ContainerPlace(container)).map(\.container.path)
        }
        #expect(try overlapping("/") == places.containers.map(\.path))
        #expect(try overlapping("/nonexistent") == ["/nonexistent/a", "/nonexistent/a/b"])
        #expect(try overlapping("/nonexistent/a/b/c") == ["/nonexistent/a", "/nonexistent/a/b"])
        #expect(try overlapping("/nonexistent/ab").isEmpty)
    }
}
