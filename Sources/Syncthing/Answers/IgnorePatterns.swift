// /rest/db/ignores of Syncthing.
// SPDX-License-Identifier: Apache-2.0

package import Varlink

/// The ignore patterns of a folder.
package struct IgnorePatterns: Sendable, Hashable {
    /// The lines of `.stignore`.
    package var patterns: [String] = []
    package var error: String?

    package init(from reader: inout JSONReader) throws(JSONError) {
        var patterns: [String] = []
        var error: String?
        try reader.readFields { (reader) throws(JSONError) in
            if reader.keyIs("ignore") {
                patterns = try reader.readTexts()
            } else if reader.keyIs("error") {
                error = try reader.readString()
            } else {
                try reader.skipValue()
            }
        }
        self.patterns = patterns
        self.error = error
    }

    /// The lines that are patterns.
    package var effective: [String] { IgnorePatterns.effective(patterns) }

    /// Returns the lines that are patterns.
    package static func effective(_ lines: [String]) -> [String] {
        lines.filter { line in
            let text = line.drop { $0.isWhitespace }
            return !text.isEmpty && !text.hasPrefix("//")
        }
    }
}
