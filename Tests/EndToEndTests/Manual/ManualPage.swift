// A page of the manual, as far as its tests read it.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// A page of `Packaging/man`, in mdoc(7).
struct ManualPage {
    /// A display, and its kind by the comment before it.
    struct Display {
        let kind: String
        let lines: [String]
    }

    private let lines: [String]

    init(_ name: String) throws {
        lines = try SourceTree.text("Packaging/man/\(name)").split(separator: "\n").map(String.init)
    }

    /// The flags that are explained, on the whole page.
    var flags: Set<String> { ManualPage.flags(in: lines[...]) }

    /// The commands of the section COMMANDS with the flags that each takes: its own, and those of the sections that it
    /// refers to, or all of them do.
    func commands() throws -> [String: Set<String>] {
        let section = try self.section(".Sh COMMANDS", until: [".Sh ", ".Ss "])
        let start = try #require(section.firstIndex { $0.hasPrefix(".Bl ") })
        let ofAll = try referred(by: section[..<start])
        var commands: [String: Set<String>] = [:]
        var block: (name: String, start: Int)?
        func close(at index: Int) throws {
            guard let block else { return }
            let lines = section[block.start..<index]
            commands[block.name] = try ManualPage.flags(in: lines).union(referred(by: lines)).union(ofAll)
        }
        var depth = 0
        for index in section[start...].indices {
            let line = section[index]
            if line.hasPrefix(".Bl ") { depth += 1 }
            if line == ".El" { depth -= 1 }
            if depth == 1, line.hasPrefix(".It Ic ") {
                try close(at: index)
                let words = line.split(separator: " ").dropFirst(2)
                block = (words.prefix { !["Oo", "Op", "Ar"].contains($0) }.joined(separator: " "), index + 1)
            }
        }
        try close(at: section.endIndex)
        return commands
    }

    /// The values of `.It Li KEY = VALUE`, by key.
    var settings: [String: String] {
        var settings: [String: String] = [:]
        for line in lines where line.hasPrefix(".It Li ") {
            let parts = ManualPage.plain(String(line.dropFirst(".It Li ".count))).split(separator: " = ", maxSplits: 1)
            if parts.count == 2 { settings[String(parts[0])] = String(parts[1]) }
        }
        return settings
    }

    /// The displays below a comment that begins with `kind`.
    func displays(_ kind: String) -> [Display] {
        lines.indices.compactMap { index in
            guard lines[index].hasPrefix(".\\\" \(kind)"), index + 1 < lines.count, lines[index + 1].hasPrefix(".Bd ")
            else { return nil }
            let inside = lines[(index + 2)...].prefix { $0 != ".Ed" }.map(ManualPage.plain)
            return Display(kind: String(lines[index].dropFirst(4)), lines: inside)
        }
    }

    private func section(_ heading: String, until ends: [String]) throws -> [String] {
        let start = try #require(lines.firstIndex(of: heading), "\(heading)")
        return Array(lines[(start + 1)...].prefix { line in !ends.contains { line.hasPrefix($0) } })
    }

    /// The flags of the sections that `.Sx` names.
    private func referred(by lines: ArraySlice<String>) throws -> Set<String> {
        try lines.filter { $0.hasPrefix(".Sx ") }.reduce(into: []) { flags, line in
            let name = line.dropFirst(4).trimmingCharacters(in: CharacterSet(charactersIn: " ,."))
            flags.formUnion(ManualPage.flags(in: try section(".Ss \(name)", until: [".Sh ", ".Ss "])[...]))
        }
    }

    private static func flags(in lines: ArraySlice<String>) -> Set<String> {
        var flags: Set<String> = []
        for line in lines where line.hasPrefix(".It Fl ") {
            let words = line.split(separator: " ")
            for (word, next) in zip(words, words.dropFirst()) where word == "Fl" { flags.insert("-\(next)") }
        }
        return flags
    }

    /// The text that a reader sees.
    private static func plain(_ text: String) -> String {
        [("\\(aq", "'"), ("\\(dq", "\""), ("\\-", "-"), ("\\&", ""), ("\\e", "\\")].reduce(text) {
            $0.replacingOccurrences(of: $1.0, with: $1.1)
        }
    }
}
