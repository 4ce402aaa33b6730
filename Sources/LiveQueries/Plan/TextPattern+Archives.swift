// The archives that a pattern of a path names.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import PredicateLanguage

extension TextPattern {
    /// Returns the names of archives that the pattern has as components of a path below `root`, the absolute path of the container
    /// without a slash at its end. The container may lie in a directory with such a name, so that part is no name of an archive.
    func archives(below root: [UInt8]) -> Set<String> {
        let ignoresCase = options.contains(.caseInsensitive)
        func folded(_ text: String) -> [UInt8] { Array((ignoresCase ? text.lowercased() : text).utf8) }
        let root = folded(String(decoding: root, as: UTF8.self)) + [UInt8(ascii: "/")]
        let rootText = String(decoding: root, as: UTF8.self)
        var found: Set<String> = []
        for literal in literals.map(folded) where !rootText.contains(String(decoding: literal, as: UTF8.self)) {
            // As much of the literal as may be the end of the container's path.
            let start = (0...min(literal.count, root.count)).last { root.suffix($0) == literal.prefix($0) } ?? 0
            for part in literal[start...].split(separator: UInt8(ascii: "/")) where ArchiveName.isName(part) {
                found.insert(String(decoding: part, as: UTF8.self))
            }
        }
        return found
    }

    /// The parts of the constant between wildcards. A dot in a regular expression counts as one, since few people escape it.
    private var literals: [String] {
        let wildcards: Set<Character>
        switch operation {
        case .like: wildcards = ["*", "?"]
        case .matches: wildcards = ["*", "+", "?", "(", ")", "[", "]", "{", "}", "|", "^", "$"]
        default: return [text]
        }
        var literals = [""]
        var rest = Substring(text)
        while let next = rest.popFirst() {
            if operation == .matches, next == "[", let only = rest.first, rest.dropFirst().first == "]" {
                literals[literals.count - 1].append(only)
                rest = rest.dropFirst(2)
                continue
            }
            let isEscaped = next == "\\" && !rest.isEmpty
            let character = isEscaped ? rest.removeFirst() : next
            if isEscaped ? character.isLetter || character.isNumber : wildcards.contains(character) {
                literals.append("")
            } else if operation == .matches, !isEscaped, character == ".", let sign = rest.first, "*+?{".contains(sign)
            {
                literals.append("")
            } else {
                literals[literals.count - 1].append(character)
            }
        }
        return literals
    }
}
