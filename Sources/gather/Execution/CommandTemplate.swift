// The command of --exec, with places for paths.
// SPDX-License-Identifier: Apache-2.0

internal import GatherKit

/// The arguments of `--exec` or `--exec-batch`, with the placeholders of `fd`.
///
/// `{}` is the path, `{/}` its last component, `{//}` its directory, `{.}` the path without its extension, and `{/.}`
/// the last component without it. Without placeholders, the path is the last argument.
struct CommandTemplate {
    private let arguments: [[UInt8]]
    private let hasPlaceholder: Bool

    /// Makes a template from words of a command line; nil if there is no command. A `;` or `+` at the end, as `find
    /// -exec` wants it, is dropped.
    init?(_ words: [String]) {
        var words = words
        if words.last == ";" || words.last == "+" { words.removeLast() }
        guard let first = words.first, !first.isEmpty else { return nil }
        arguments = words.map { Array($0.utf8) }
        hasPlaceholder = arguments.contains { argument in
            Placeholder.allCases.contains { CommandTemplate.find($0.bytes, in: argument[...]) != nil }
        }
    }

    /// Returns the arguments for one path.
    func arguments(for path: [UInt8]) -> [[UInt8]] {
        let filled = arguments.map { CommandTemplate.fill($0, path) }
        return hasPlaceholder ? filled : filled + [path]
    }

    /// Returns the arguments for several paths. An argument with a placeholder occurs once for each path.
    func arguments(for paths: [[UInt8]]) -> [[UInt8]] {
        guard hasPlaceholder else { return arguments + paths }
        return arguments.flatMap { argument in
            let filled = paths.map { CommandTemplate.fill(argument, $0) }
            return filled.allSatisfy { $0 == argument } ? [argument] : filled
        }
    }

    /// Returns the paths in parts, each within the limits for the arguments of one process.
    static func batches(_ paths: [[UInt8]]) -> [[[UInt8]]] {
        var batches: [[[UInt8]]] = []
        var bytes = 0
        for path in paths {
            if let last = batches.last, last.count < mostPaths, bytes + path.count < mostBytes {
                batches[batches.count - 1].append(path)
                bytes += path.count
            } else {
                batches.append([path])
                bytes = path.count
            }
        }
        return batches
    }

    /// The limits of one command. A path may occur several times, with 8 bytes for each pointer. All of it stays below
    /// the 2 MB that Linux has for arguments (execve(2)).
    static let mostPaths = 5_000
    static let mostBytes = 128 << 10

    private enum Placeholder: String, CaseIterable {
        case path = "{}"
        case name = "{/}"
        case directory = "{//}"
        case pathWithoutExtension = "{.}"
        case nameWithoutExtension = "{/.}"

        var bytes: [UInt8] { Array(rawValue.utf8) }

        func value(_ path: [UInt8]) -> [UInt8] {
            let slash = path.lastIndex(of: UInt8(ascii: "/"))
            let name = path[(slash.map { $0 + 1 } ?? 0)...]
            switch self {
            case .path: return path
            case .name: return Array(name)
            case .directory:
                return slash.map { $0 == 0 ? [UInt8(ascii: "/")] : Array(path[..<$0]) } ?? [UInt8(ascii: ".")]
            case .pathWithoutExtension: return Array(path[..<name.startIndex]) + Placeholder.withoutExtension(name)
            case .nameWithoutExtension: return Placeholder.withoutExtension(name)
            }
        }

        private static func withoutExtension(_ name: ArraySlice<UInt8>) -> [UInt8] {
            guard let dot = name.lastIndex(of: UInt8(ascii: ".")), dot > name.startIndex else { return Array(name) }
            return Array(name[..<dot])
        }
    }

    private static func fill(_ argument: [UInt8], _ path: [UInt8]) -> [UInt8] {
        var filled: [UInt8] = []
        var rest = argument[...]
        while !rest.isEmpty {
            if rest.first == UInt8(ascii: "{"),
                let placeholder = Placeholder.allCases.first(where: { rest.starts(with: $0.bytes) })
            {
                filled += placeholder.value(path)
                rest = rest.dropFirst(placeholder.bytes.count)
            } else {
                filled.append(rest.removeFirst())
            }
        }
        return filled
    }

    private static func find(_ bytes: [UInt8], in text: ArraySlice<UInt8>) -> Int? {
        text.indices.first { text[$0...].starts(with: bytes) }
    }
}
