// A comparison of extended attributes and link targets.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import MetadataIndex
import PredicateLanguage

/// A comparison that reads only extended attributes and link targets. Its answer is equal for items with equal records,
/// so a scan tests each record once.
struct ExtendedAttributeTest: Sendable {
    /// The comparison as it was written.
    let node: PredicateNode
    /// The comparison in a form that needs no values of the language; nil where there is none.
    private let direct: Direct?
    /// The answer for items without such attributes, which is most of them; nil where that is an error.
    private let answerForNone: Bool?

    private enum Direct: Sendable {
        case text(Attribute, name: [UInt8], TextPattern)
        case tags(name: [UInt8], Comparison.Quantifier, TextPattern)
        case number(name: [UInt8], IntegerComparison, Int64)
        case presence(Attribute, isWanted: Bool)
    }

    init(_ comparison: Comparison, _ node: PredicateNode) {
        self.node = node
        let answer = try? node.evaluate(on: Values(xattrs: .none))
        answerForNone = answer
        direct = answer == nil ? nil : ExtendedAttributeTest.direct(comparison)
    }

    private static func direct(_ comparison: Comparison) -> Direct? {
        guard let attribute = comparison.left.attribute, let name = attribute.extraName else { return nil }
        if let quantifier = comparison.quantifier {
            return attribute.type == .strings ? comparison.pattern.map { .tags(name: name, quantifier, $0) } : nil
        }
        switch (comparison.right.constant, comparison.operation) {
        case (MetadataValue.none?, .equal): return .presence(attribute, isWanted: false)
        case (MetadataValue.none?, .notEqual): return .presence(attribute, isWanted: true)
        case (.integer(let value)?, let operation) where attribute.type == .integer:
            return IntegerComparison(operation).map { .number(name: name, $0, value) }
        default: return attribute.type == .string ? comparison.pattern.map { .text(attribute, name: name, $0) } : nil
        }
    }

    /// How the test can fail: a regular expression can take too many steps.
    var fallibility: Fallibility {
        switch direct {
        case .text(_, name: _, let pattern), .tags(name: _, _, let pattern):
            pattern.operation == .matches ? .limit : .never
        case .number, .presence: .never
        case nil: node.fallibility
        }
    }

    /// Whether the test can fail.
    var isFallible: Bool { fallibility != .never }

    var cost: Int {
        switch direct {
        // Names are short, but an attribute has up to four kilobytes. A match that takes the product of two lengths
        // takes milliseconds then, and folding text that is not ASCII a tenth of one.
        case .text(_, name: _, let pattern), .tags(name: _, _, let pattern):
            pattern.operation == .matches || pattern.goesBack || pattern.folds ? PlanTest.costOfMatching : 80
        case .number, .presence: 80
        case nil: 1_000
        }
    }

    /// Whether it holds for items with these attributes.
    func holds(_ xattrs: ExtraAttributes) throws(EvaluationError) -> Bool {
        if xattrs.isEmpty, let answerForNone { return answerForNone }
        switch direct {
        case .text(let attribute, let name, let pattern):
            let text = xattrs.withValue(named: name) { $0.flatMap { ExtraAttributes.text($0, of: attribute) } }
            // A value that is not text counts as missing.
            guard let text else { return answerForNone ?? false }
            return try pattern.matches(text)
        case .tags(let name, let quantifier, let pattern):
            // A matching tag decides ANY and NONE; a tag that does not match decides ALL.
            let decisive = quantifier != .all
            let isDecided = try xattrs.withValue(named: name) { (value) throws(EvaluationError) in
                guard let value else { return false }
                return try ExtendedAttributeTest.hasTag(in: value, matching: pattern, decisive)
            }
            return (quantifier == .any) == isDecided
        case .number(let name, let comparison, let constant):
            let number = xattrs.withValue(named: name) { $0.flatMap(ExtraAttributes.integer) }
            return number.map { comparison.holds($0, constant) } ?? answerForNone ?? false
        case .presence(let attribute, let isWanted): return xattrs.has(attribute) == isWanted
        case nil: return try node.evaluate(on: Values(xattrs: xattrs))
        }
    }

    /// Whether a tag matches, or, if `isWanted` is false, does not match.
    private static func hasTag(
        in value: UnsafeRawBufferPointer, matching pattern: TextPattern, _ isWanted: Bool
    ) throws(EvaluationError) -> Bool {
        var isFound = false
        try ExtraAttributes.forEachTag(in: value) { (tag) throws(EvaluationError) in
            // A tag that is not UTF-8 is reported, and so compared, with replacement characters.
            let isPlain = tag.allSatisfy { $0 < 0x80 }
            let matches = try isPlain ? pattern.matches(tag) : pattern.matches(String(decoding: tag, as: UTF8.self))
            isFound = matches == isWanted
            return !isFound
        }
        return isFound
    }

    /// A record as values of the language.
    private struct Values: AttributeValues {
        let xattrs: ExtraAttributes

        func value(of attribute: Attribute) -> MetadataValue { xattrs.value(of: attribute) }
    }
}

extension IntegerComparison {
    fileprivate init?(_ operation: Comparison.Operator) {
        switch operation {
        case .equal: self = .equal
        case .notEqual: self = .notEqual
        case .less: self = .less
        case .lessOrEqual: self = .lessOrEqual
        case .greater: self = .greater
        case .greaterOrEqual: self = .greaterOrEqual
        default: return nil
        }
    }
}
