// What a plan demands of an item before it can match.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import MetadataIndex
import PredicateLanguage

/// A literal that the name of every matching item has.
struct NameDemand: Sendable, Hashable {
    let match: NameMatch
    let bytes: [UInt8]
    /// Whether the name has it without its case and accents (``TextPattern/folded(_:_:)``).
    var isFolded = false

    init(_ match: NameMatch, _ bytes: [UInt8]) {
        self.match = match
        self.bytes = bytes
    }

    /// What a pattern demands of the name, or of the extension at its end; nil where that is nothing.
    init?(folded pattern: TextPattern, isExtension: Bool) {
        guard pattern.operation != .notEqual, let literal = pattern.foldedLiteral, !literal.bytes.isEmpty else {
            return nil
        }
        let dot = [UInt8(ascii: ".")]
        switch literal.place {
        case .whole where isExtension: self.init(.suffix, dot + literal.bytes)
        case .prefix where isExtension: self.init(.infix, dot + literal.bytes)
        default: self.init(NameMatch(literal.place), literal.bytes)
        }
        isFolded = true
    }

    /// How few names have it, roughly: a larger number is better to file by.
    var selectivity: Int {
        switch match {
        case .equal: 1_000
        case .prefix, .suffix: 2 * bytes.count
        case .infix: bytes.count
        }
    }
}

/// What a plan demands of an item's own values before it can match. The registry files live queries by it.
struct PlanDemand: Sendable {
    /// Every matching item's name has one of these; nil where nothing is demanded of the name.
    var names: [NameDemand]?
    /// The kinds that can match, a bit for each by raw value.
    var kinds: UInt16

    static let anyKind = UInt16.max
    /// Beyond so many alternatives a query is filed as one that demands nothing of the name.
    static let maximumAlternatives = 4_096

    /// An item for which one of the parts fails to have an answer does not match either, so an AND demands what any of its
    /// parts does, in whatever order they are tested.
    init(_ node: PlanNode) {
        names = nil
        kinds = PlanDemand.anyKind
        switch node.kind {
        case .constant(let value): if !value { names = [] }
        case .not: break
        case .all(let parts):
            var best = Int.min
            for part in parts {
                let demand = PlanDemand(part)
                kinds &= demand.kinds
                guard let candidates = demand.names else { continue }
                let selectivity = candidates.map(\.selectivity).min() ?? .max
                if names == nil || selectivity > best {
                    names = candidates
                    best = selectivity
                }
            }
        case .any(let parts):
            var union: [NameDemand]? = []
            kinds = 0
            for part in parts {
                let demand = PlanDemand(part)
                kinds |= demand.kinds
                if let more = demand.names { union?.append(contentsOf: more) } else { union = nil }
            }
            names = union.flatMap { $0.count <= PlanDemand.maximumAlternatives ? $0 : nil }
        case .test(.name(let match, let bytes)): names = [NameDemand(match, bytes)]
        case .test(.namePattern(let pattern)):
            names = NameDemand(folded: pattern, isExtension: false).map { [$0] }
        case .test(.fileExtension(let pattern)):
            names = NameDemand(folded: pattern, isExtension: true).map { [$0] }
        case .test(.kinds(let mask)): kinds = mask
        case .test: break
        }
    }
}
