// The ignore patterns of evicted files.
// SPDX-License-Identifier: Apache-2.0

/// The ignore patterns of a folder, with the part that names evicted files. That part stands first, since the first pattern
/// that matches a name decides.
struct EvictedPatterns: Equatable {
    static let begin =
        "// Files that Gather evicted: other devices have them. 'gather download' takes them from this list."
    static let end = "// End of the evicted files."

    /// The paths below the folder, sorted.
    var paths: Set<String> = []
    /// All other lines.
    var others: [String] = []

    init(lines: [String]) {
        var isInside = false
        for line in lines {
            if line == EvictedPatterns.begin {
                isInside = true
            } else if line == EvictedPatterns.end {
                isInside = false
            } else if isInside, let path = EvictedPatterns.path(line) {
                paths.insert(path)
            } else {
                others.append(line)
            }
        }
    }

    var lines: [String] {
        if paths.isEmpty { return others }
        return [EvictedPatterns.begin] + paths.sorted().compactMap(EvictedPatterns.pattern) + [EvictedPatterns.end]
            + others
    }

    /// Returns the pattern that matches just one path; nil for a path that no pattern can name.
    static func pattern(_ path: String) -> String? {
        guard !path.isEmpty, !path.utf8.contains(where: { $0 == 0x0A || $0 == 0x0D || $0 == 0 }) else { return nil }
        var text = "/"
        for scalar in path.unicodeScalars {
            switch scalar {
            case "*", "?", "[", "]", "{", "}", "\\", ",", "!": text += "\\"
            default: break
            }
            text.unicodeScalars.append(scalar)
        }
        // Blanks at the end of a line are taken away.
        if let last = path.unicodeScalars.last, last.properties.isWhitespace {
            text.unicodeScalars.removeLast()
            text += "[" + String(last) + "]"
        }
        return text
    }

    /// Returns the path of a pattern that ``pattern(_:)`` made; nil for another one.
    static func path(_ pattern: String) -> String? {
        var scalars = pattern.unicodeScalars.makeIterator()
        guard scalars.next() == "/" else { return nil }
        var path = String.UnicodeScalarView()
        while let scalar = scalars.next() {
            switch scalar {
            case "\\":
                guard let next = scalars.next() else { return nil }
                path.append(next)
            case "[":
                guard let inside = scalars.next(), scalars.next() == "]" else { return nil }
                path.append(inside)
            default: path.append(scalar)
            }
        }
        return path.isEmpty ? nil : String(path)
    }
}
