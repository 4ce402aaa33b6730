// Remarks on comparisons that are valid and probably match nothing.
// SPDX-License-Identifier: Apache-2.0

import ContentTypes
import Metadata

extension AttributeResolver {
    /// Adds remarks on a comparison whose keys and types are resolved.
    mutating func remark(on comparison: Comparison) {
        guard hints.count < PredicateLimits.hints else { return }
        if let types = comparison.comparedTypes {
            remark(onTypes: types, comparison)
            return
        }
        remark(onConstants: comparison)
        remark(onDates: comparison)
        remark(onMode: comparison)
        guard let attribute = comparison.left.attribute else { return }
        for (text, position) in comparison.comparedTexts {
            let found =
                expression(text, position, attribute, comparison) ?? wildcards(text, position, attribute, comparison)
                ?? place(text, position, attribute, comparison)
            if let found { add(found) }
        }
    }

    // MARK: Text

    /// A regular expression beside an operator that takes none, or one that fits a part beside MATCHES, which compares all.
    private func expression(
        _ text: String, _ position: Int, _ attribute: Attribute, _ comparison: Comparison
    ) -> PredicateHint? {
        let whole = SearchExpression.whole(text)
        switch comparison.operation {
        case .matches:
            // Without a repetition it fits texts of one length only. One with both anchors is meant so.
            guard attribute.isOfName, !text.isEmpty, !text.contains(where: { "*+{".contains($0) }), whole != text,
                !(text.hasPrefix("^") && text.hasSuffix("$"))
            else { return nil }
            return PredicateHint(
                "MATCHES compares the whole text", write: comparison.text(.matches, .string(whole)), at: position)
        case .equal, .like, .contains, .beginsWith, .endsWith:
            guard attribute == .name || attribute == .displayName,
                SearchExpression.looksLike(text)
                    || comparison.operation == .like && SearchExpression.hasOptionalLetter(text)
            else { return nil }
            let isPath = text.utf8.contains(UInt8(ascii: "/"))
            // The path of a file begins elsewhere.
            let meant = isPath && text.hasPrefix("^") ? SearchExpression.whole(String(text.dropFirst())) : whole
            return PredicateHint(
                "\(comparison.operation.rawValue) takes no regular expression",
                write: comparison.text(
                    .matches, .string(meant), of: isPath ? Expression(.attribute(.path), at: 0) : nil), at: position)
        default: return nil
        }
    }

    /// A text with wildcards beside an operator that takes them literally, or with the wildcard of SQL beside LIKE.
    private func wildcards(
        _ text: String, _ position: Int, _ attribute: Attribute, _ comparison: Comparison
    ) -> PredicateHint? {
        let wildcard = text.utf8.contains(UInt8(ascii: "*")) ? "*" : "?"
        switch comparison.operation {
        case .equal, .notEqual, .in, .beginsWith, .endsWith, .contains:
            // A question mark is common in the text of a comment or an address.
            guard text.hasWildcard, wildcard == "*" || attribute.isOfName else { return nil }
            let message = "\(comparison.operation.rawValue) takes '\(wildcard)' literally"
            if comparison.operation == .equal, text == "*" {
                return PredicateHint(message, write: comparison.text(.notEqual, MetadataValue.none), at: position)
            }
            return PredicateHint(message, write: comparison.text(.like, .string(text)), at: position)
        case .like:
            guard !text.hasWildcard, text.utf8.contains(UInt8(ascii: "%")) else { return nil }
            let pattern = text.split(separator: "%", omittingEmptySubsequences: false).joined(separator: "*")
            return PredicateHint(
                "the wildcard of LIKE is '*'", write: comparison.text(.like, .string(pattern)), at: position)
        default: return nil
        }
    }

    /// A text that no name, extension or path can be.
    private func place(
        _ text: String, _ position: Int, _ attribute: Attribute, _ comparison: Comparison
    ) -> PredicateHint? {
        let operation = comparison.operation
        let isWhole = operation == .equal || operation == .notEqual || operation == .in
        switch attribute {
        case .fileExtension where text.hasPrefix(".") && (isWhole || operation == .like || operation == .beginsWith):
            let rest = String(text.dropFirst())
            return PredicateHint(
                "an extension does not begin with '.'", write: comparison.text(operation, .string(rest)), at: position)
        case .name, .displayName:
            guard text.utf8.contains(UInt8(ascii: "/")), operation != .matches else { return nil }
            let path = Expression(.attribute(.path), at: 0)
            let meant = AttributeResolver.presentPath(text).map { present in
                // Without a slash in front, a part of the first name would do.
                let below = present.hasPrefix("/") || present.hasPrefix("*") ? present : "/" + present
                if operation == .like {
                    return comparison.text(.like, .string("*" + below.drop { $0 == "*" }), of: path)
                }
                let isEnd = isWhole && below.count > 1
                let end = isEnd && below.hasSuffix("/") ? String(below.dropLast()) : below
                return comparison.text(isEnd ? .endsWith : .contains, .string(end), of: path)
            }
            return PredicateHint("a name has no '/'", write: meant, at: position)
        case .path:
            if text.hasPrefix("~") { return PredicateHint("'~' stands for no directory here", at: position) }
            if isWhole, text.hasPrefix("/"), text.hasSuffix("/"), text.utf8.count > 1 {
                let trimmed = String(text.dropLast())
                return PredicateHint(
                    "a path does not end with '/'", write: comparison.text(operation, .string(trimmed)), at: position)
            }
            guard isWhole || operation == .beginsWith || operation == .like, !text.isEmpty else { return nil }
            let present = AttributeResolver.presentPath(text)
            if text.hasPrefix("/") {
                guard present != text else { return nil }
                return PredicateHint(
                    "a path has no '.', no '..' and no empty part",
                    write: present.map { comparison.text(operation, .string($0)) }, at: position)
            }
            if operation == .like, text.hasPrefix("*") || text.hasPrefix("?") { return nil }
            let meant = present.map { present in
                isWhole
                    ? comparison.text(.endsWith, .string("/" + present))
                    : comparison.text(.like, .string("*/" + present + (operation == .like ? "" : "*")))
            }
            return PredicateHint("a path begins with '/'", write: meant, at: position)
        default: return nil
        }
    }

    /// Returns a path without `.` and empty parts before its last one, which may be the beginning of a name; nil if it has `..`, or
    /// nothing else.
    private static func presentPath(_ text: String) -> String? {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        if parts.contains("..") { return nil }
        let kept = parts.dropLast().filter { !$0.isEmpty && $0 != "." } + parts.suffix(1)
        let present = (text.hasPrefix("/") ? "/" : "") + kept.joined(separator: "/")
        return present.isEmpty || present == "." ? nil : present
    }

    // MARK: Constants, dates and modes

    /// Two constants, of which one is the name of an attribute in quotes.
    private mutating func remark(onConstants comparison: Comparison) {
        guard comparison.left.constant != nil, comparison.right.isLiteral else { return }
        var meant: String?
        if case .string(let text) = comparison.left.constant, let attribute = Attribute(name: text) {
            meant = comparison.text(comparison.operation, nil, of: Expression(.attribute(attribute)))
        }
        add(
            PredicateHint(
                "this compares two constants, and no attribute", write: meant, at: comparison.left.position.offset))
    }

    /// Equality with a moment, which times have to the nanosecond.
    private mutating func remark(onDates comparison: Comparison) {
        guard comparison.operation == .equal || comparison.operation == .notEqual || comparison.operation == .in else {
            return
        }
        for element in comparison.right.elements {
            let position = element.position.offset
            if let time = element.time, time.unit == .now {
                add(
                    PredicateHint(
                        "\(comparison.operation.rawValue) compares with one moment, to the nanosecond",
                        write: "\(comparison.left) >= \(element)", at: position))
            }
            guard let precision = writtenDates[position], case .date(let start) = element.constant else { continue }
            let end = precision.end(of: start, in: zone)
            let range =
                precision == .day
                ? "\(comparison.left) >= '\(start.localDay(in: zone))' AND \(comparison.left) < '\(end.localDay(in: zone))'"
                : "\(comparison.left) >= '\(start.rfc3339)' AND \(comparison.left) < '\(end.rfc3339)'"
            add(
                PredicateHint(
                    "\(comparison.operation.rawValue) compares with one moment, to the nanosecond",
                    write: comparison.operation == .notEqual ? "NOT (\(range))" : range, at: position))
        }
    }

    /// Permission bits that look octal and are written in decimal.
    private mutating func remark(onMode comparison: Comparison) {
        guard comparison.left.attribute == .mode else { return }
        for element in comparison.right.elements {
            let position = element.position.offset
            // A decimal number up to 511 may be meant: 416 is 0640, 493 is 0755.
            guard case .integer(let value) = element.constant, unusualNumbers[position] == nil,
                (0o1000...7777).contains(value), Int64(String(value), radix: 8) != nil
            else { continue }
            let mode = "0" + String(value, radix: 8)
            let meant =
                comparison.right.constant != nil ? "mode \(comparison.operation.rawValue) 0\(value)" : "0\(value)"
            add(PredicateHint("\(value) is decimal, which is the mode \(mode)", write: meant, at: position))
        }
    }

    // MARK: Content types

    /// Names that stand for no content type.
    private mutating func remark(onTypes types: [(text: String, position: Int)], _ comparison: Comparison) {
        guard let attribute = comparison.left.attribute else { return }
        for (text, position) in types where UniformType(identifier: text) == nil {
            if text.utf8.contains(UInt8(ascii: "/")) {
                if text.hasSuffix("/*") {
                    add(
                        PredicateHint(
                            "\(comparison.operation.rawValue) takes '*' literally",
                            write: "contentType UTI-CONFORMS-TO \(PredicateText.literal(text))", at: position))
                } else {
                    add(NamedMediaType(text: text, attribute: attribute, position: position))
                }
                continue
            }
            let word = text.lowercased()
            var meant: String?
            if UniformType.families[word] != nil {
                meant = "contentType UTI-CONFORMS-TO '\(word)/*'"
            } else if let type = UniformType.mediaType(called: word) {
                meant = "\(attribute.name) \(attribute == .contentType ? "==" : "CONTAINS") '\(type)'"
            } else if text.utf8.contains(UInt8(ascii: ".")) {
                meant = Spelling.nearest(to: text, among: UniformType.named.keys.sorted()).map { "'\($0)'" }
            }
            let shown = text.utf8.count <= 60 ? "'\(text)'" : "this text"
            add(PredicateHint("no content type is called \(shown)", write: meant, at: position))
        }
    }

    /// Adds a remark on a MIME type that no file has by the database of types.
    mutating func checkMediaType(_ named: NamedMediaType, _ types: ContentTypeDatabase) {
        guard !types.isEmpty, !types.types.contains(named.text) else { return }
        if named.attribute == .contentTypeTree, types.types.contains(where: { types.type($0, conformsTo: named.text) })
        {
            return
        }
        let meant =
            types.types.first { types.type($0, equals: named.text) }
            ?? Spelling.nearest(to: named.text, among: types.types)
        let shown = named.text.utf8.count <= 60 ? "'\(named.text)'" : "this type"
        add(PredicateHint("no file has the content type \(shown)", write: meant.map { "'\($0)'" }, at: named.position))
    }
}

extension Comparison {
    /// The constant texts on its right side, with their places.
    fileprivate var comparedTexts: [(text: String, position: Int)] {
        (operation == .in ? right.elements : [right]).compactMap { element in
            guard case .string(let text) = element.constant else { return nil }
            return (text, element.position.offset)
        }
    }

    /// The text of this comparison with another operator and value; with NOT in front where it is a `!=` that becomes
    /// another operator.
    fileprivate func text(_ operation: Operator, _ value: MetadataValue?, of left: Expression? = nil) -> String {
        var other = self
        other.operation = operation
        if let left { other.left = left }
        if let value { other.right = Expression(.constant(value), at: right.position.offset) }
        let text = PredicateNode(.comparison(other), at: 0).description
        return self.operation == .notEqual && operation != .notEqual ? "NOT " + text : text
    }
}

extension Attribute {
    /// Whether it is text that comes from a file's name or path.
    fileprivate var isOfName: Bool {
        switch self {
        case .name, .displayName, .path, .fileExtension: true
        default: false
        }
    }
}
