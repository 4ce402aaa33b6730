// The repository's own files, as the tests of its architecture read them.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// A file of the sources: where it is, and its text.
struct SourceFile {
    let target: String
    /// From the repository's root.
    let path: String
    let text: String

    /// The modules that it imports, with the lines.
    var imports: [(line: Int, module: String)] {
        text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().compactMap { index, line in
            SourceFile.module(importedBy: line).map { (index + 1, $0) }
        }
    }

    /// The module of an import declaration, whatever attributes, access and kind it has; nil for any other line.
    static func module(importedBy line: some StringProtocol) -> String? {
        var words = line.split(whereSeparator: { $0 == " " || $0 == "\t" })
        while let first = words.first {
            if first.hasPrefix("@") || ["public", "package", "internal", "fileprivate", "private"].contains(first) {
                words.removeFirst()
            } else {
                break
            }
        }
        guard words.first == "import" else { return nil }
        words.removeFirst()
        if let kind = words.first,
            ["struct", "class", "enum", "protocol", "typealias", "func", "let", "var"].contains(kind)
        {
            words.removeFirst()
        }
        // A submodule, or a declaration of the module, follows a dot; a second statement, a semicolon.
        guard let name = words.first?.prefix(while: { $0 != "." && $0 != ";" }) else { return nil }
        return String(name)
    }
}

/// A target as the manifest declares it.
struct DeclaredTarget {
    let name: String
    /// Tests, or files that only tests have.
    let isTest: Bool
    /// Targets and products by their names.
    let dependencies: Set<String>
}

enum Repository {
    static let root = SourceTree.root

    static func text(_ path: String) throws -> String { try SourceTree.text(path) }

    /// Every Swift file under `Sources`, but the code that documentation shows.
    static func sources() throws -> [SourceFile] { try files(in: "Sources") }

    static func tests() throws -> [SourceFile] { try files(in: "Tests") }

    private static func files(in directory: String) throws -> [SourceFile] {
        try SourceTree.files(below: directory).filter { $0.hasSuffix(".swift") && !$0.contains(".docc/") }.map { path in
            let target = path.split(separator: "/")[1]
            return SourceFile(target: String(target), path: path, text: try text(path))
        }
    }

    /// The package of each product that the manifest names.
    static func packagesOfProducts() throws -> [String: String] {
        let products = try text("Package.swift").matches(
            of: /\.product\(\s*name: "(\w+)", package: "([\w-]+)"/)
        return Dictionary(products.map { (String($0.1), String($0.2)) }) { first, _ in first }
    }

    /// The targets of the manifest, read from its text: `swift package` cannot be asked while it runs the tests.
    static func declaredTargets() throws -> [DeclaredTarget] {
        let manifest = try text("Package.swift")
        var products: [String: String] = [:]
        for match in manifest.matches(of: /let (\w+) = Target\.Dependency\.product\(\s*name: "(\w+)"/) {
            products[String(match.1)] = String(match.2)
        }
        return try manifest.matches(of: /\.(target|executableTarget|testTarget|systemLibrary)\(\s*name: "([\w-]+)"/).map
        {
            match in
            let declaration = try #require(balanced("(", ")", in: manifest[match.range.lowerBound...]))
            var dependencies: Set<String> = []
            if let list = declaration.firstRange(of: "dependencies:") {
                let items = try #require(balanced("[", "]", in: declaration[list.upperBound...]))
                // The name of an inline product comes first; that of its package is none of ours.
                let names = items.replacing(/package: "[^"]*"/, with: "").replacing(/\.product\(name:/, with: "")
                for item in names.matches(of: /"([\w-]+)"|\b([a-z]\w*)\b/) {
                    if let name = item.1 {
                        dependencies.insert(String(name))
                    } else if let variable = item.2 {
                        dependencies.insert(try #require(products[String(variable)], "what is \(variable)?"))
                    }
                }
            }
            let isTest = match.1 == "testTarget" || declaration.contains("path: \"Tests/")
            return DeclaredTarget(name: String(match.2), isTest: isTest, dependencies: dependencies)
        }
    }

    /// The text from the first opening bracket to the one that closes it.
    private static func balanced(_ open: Character, _ close: Character, in text: Substring) -> Substring? {
        guard let start = text.firstIndex(of: open) else { return nil }
        var depth = 0
        for index in text[start...].indices {
            if text[index] == open { depth += 1 }
            if text[index] == close { depth -= 1 }
            if depth == 0 { return text[start...index] }
        }
        return nil
    }
}

/// Runs a program to its end, and returns the lines of both streams, and its exit status.
func output(of program: String, _ arguments: String...) async -> (text: String, status: Int32) {
    let result = await ChildProcess(path: program, arguments).result()
    return (result.text + result.errors, result.status)
}
