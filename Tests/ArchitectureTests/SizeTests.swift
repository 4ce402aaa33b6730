// Sizes of types, files and folders, which only become smaller.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// Each type, file and folder above a limit has a line in sizes.txt with its present size. A larger one fails the test, and so does a
/// smaller one until its line is written anew. New code gets no line.
struct SizeTests {
    /// The kinds of sizes with their limits: stored properties and extension files of a type, lines of a file, and Swift files
    /// directly in a folder.
    private static let limits = ["properties": 15, "extensions": 3, "lines": 300, "files": 40]

    /// The sizes above the limits, by kind and name.
    private static func sizes() throws -> [String: Int] {
        var sizes: [String: Int] = [:]
        func note(_ kind: String, _ name: String, _ size: Int) {
            if size > limits[kind] ?? .max { sizes["\(kind) \(name)"] = max(size, sizes["\(kind) \(name)"] ?? 0) }
        }
        let files = try (Repository.sources() + Repository.tests()).filter { !$0.path.contains("/Generated/") }
        var folders: [String: Int] = [:]
        var extensions: [String: Int] = [:]
        for file in files {
            let place = file.path.split(separator: "/")
            let folder = place.dropLast().joined(separator: "/")
            folders[folder, default: 0] += 1
            note("lines", file.path, file.text.count { $0 == "\n" })
            if let name = place.last, let plus = name.firstIndex(of: "+") {
                extensions["\(file.target)/\(name[..<plus])", default: 0] += 1
            }
            for type in SwiftText(file.text).types {
                note("properties", "\(file.target)/\(type.name)", type.storedProperties)
            }
        }
        for (folder, count) in folders { note("files", folder, count) }
        for (type, count) in extensions { note("extensions", type, count) }
        return sizes
    }

    @Test func `Nothing grows above its limit, and the table says how large the rest is`() throws {
        var table: [String: Int] = [:]
        for line in try Repository.text("Tests/ArchitectureTests/sizes.txt").split(separator: "\n") {
            let words = line.split(separator: " ")
            if words.count == 3, let size = Int(words[2]) { table["\(words[0]) \(words[1])"] = size }
        }
        let sizes = try Self.sizes()
        for (name, size) in sizes.sorted(by: { $0.key < $1.key }) {
            let kind = String(name.prefix { $0 != " " })
            switch table[name] {
            case nil:
                Issue.record("\(name) \(size): the limit is \(Self.limits[kind] ?? 0); divide it")
            case let before? where size > before:
                Issue.record("\(name) was \(before) and is \(size); it may only become smaller")
            case let before? where size < before:
                Issue.record("it is smaller: write '\(name) \(size)' into sizes.txt in place of \(before)")
            default: break
            }
        }
        for name in table.keys.sorted() where sizes[name] == nil {
            Issue.record("it is within its limit: remove the line of '\(name)' from sizes.txt")
        }
    }

    @Test func `Stored properties are counted`() {
        let text = #"""
            // struct No { var a = 1 }
            @MainActor final class Outer: Base {
                static let shared = Outer()
                let a: Int, b: [String: Int]
                private(set) var c = "}{ \(d("x{"))" { didSet { e() } }
                var computed: Int { a }
                var closure: () -> Void = { print("{") }
                let (x, y): (Int, Int)
                @Lock var w: Int
                init() { let local = 1 }
                struct Inner {
                    var z: Int
                    func f() { struct Local { var q = 1 } }
                }
                class func make() -> Outer { var n = 1; return Outer() }
            }
            extension Outer {
                enum Kind { case one, two }
                var more: Int { 1 }
            }
            """#
        let types = SwiftText(text).types
        #expect(
            types == [
                .init(name: "Outer.Inner.Local", storedProperties: 1), .init(name: "Outer.Inner", storedProperties: 1),
                .init(name: "Outer", storedProperties: 7), .init(name: "Outer.Kind", storedProperties: 0),
            ])
    }
}
