// Necessary conditions of a plan, by which live queries are filed.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import MetadataIndex
import PredicateLanguage

/// A literal that the name of every matching item contains.
struct NameDemand: Sendable, Hashable {
    let match: NameMatch
    let bytes: [UInt8]
    /// Whether the name contains it without case and accents (``TextPattern/folded(_:_:)``).
    var isFolded = false

    init(_ match: NameMatch, _ bytes: [UInt8]) {
        self.match = match
        self.bytes = bytes
    }

    /// The literal that a pattern requires in the name, or in the extension at its end; nil where it requires none.
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

    /// A rough measure of how few names contain it; a larger number is better to file by.
    var selectivity: Int {
        switch match {
        case .equal: 1_000
        case .prefix, .suffix: 2 * bytes.count
        case .infix: bytes.count
        }
    }
}

/// A necessary condition on an item.
enum ItemDemand: Sendable, Hashable {
    /// Its name contains a literal.
    case name(NameDemand)
    /// It is in this row.
    case row(Row)
    /// It lies directly in the directory in this row.
    case parent(Row)
    /// Its path in the container begins with these bytes, at least one.
    case path([UInt8])

    /// A rough measure of how few items meet it; a larger number is better to file by.
    var selectivity: Int {
        switch self {
        case .name(let name): name.selectivity
        case .row: 2_000
        case .parent: 900
        case .path(let bytes): 2 * bytes.count
        }
    }

    /// The beginning that a pattern requires of the path in a container; nil where it requires none, empty where
    /// nothing matches.
    static func path(_ pattern: TextPattern, below root: [UInt8]) -> [ItemDemand]? {
        guard pattern.operation != .notEqual, let literal = pattern.requiredLiteral,
            literal.place == .whole || literal.place == .prefix
        else { return nil }
        let root = root + [UInt8(ascii: "/")]
        // The literal ends within the path of the container's directory, so that every item has it or none.
        if literal.bytes.count <= root.count { return root.starts(with: literal.bytes) ? nil : [] }
        return literal.bytes.starts(with: root) ? [.path(Array(literal.bytes[root.count...]))] : []
    }
}

/// The necessary conditions of a plan. The registry files live queries by them.
struct PlanDemand: Sendable {
    /// Every matching item meets one of these; nil where there is no such condition.
    var alternatives: [ItemDemand]?
    /// The kinds that can match, as a bit for each raw value.
    var kinds: UInt16

    static let anyKind = UInt16.max
    /// The most alternatives; beyond them a query is filed without conditions.
    static let maximumAlternatives = 4_096

    /// An AND has the conditions of each of its parts, in any order: an item for which a part has no answer does not
    /// match either.
    ///
    /// `root` is the absolute path of the container's directory, without a slash at its end.
    init(_ node: PlanNode, root: [UInt8]) {
        alternatives = nil
        kinds = PlanDemand.anyKind
        switch node.kind {
        case .constant(let value): if !value { alternatives = [] }
        case .not: break
        case .all(let parts):
            var best = Int.min
            for part in parts {
                let demand = PlanDemand(part, root: root)
                kinds &= demand.kinds
                guard let candidates = demand.alternatives else { continue }
                let selectivity = candidates.map(\.selectivity).min() ?? .max
                if alternatives == nil || selectivity > best {
                    alternatives = candidates
                    best = selectivity
                }
            }
        case .any(let parts):
            var union: [ItemDemand]? = []
            kinds = 0
            for part in parts {
                let demand = PlanDemand(part, root: root)
                kinds |= demand.kinds
                if let more = demand.alternatives { union?.append(contentsOf: more) } else { union = nil }
            }
            alternatives = union.flatMap { $0.count <= PlanDemand.maximumAlternatives ? $0 : nil }
        case .test(.name(let match, let bytes)): alternatives = [.name(NameDemand(match, bytes))]
        case .test(.foldedName(let match, let bytes)):
            var demand = NameDemand(match, bytes)
            demand.isFolded = true
            alternatives = [.name(demand)]
        case .test(.namePattern(let pattern)):
            alternatives = NameDemand(folded: pattern, isExtension: false).map { [.name($0)] }
        case .test(.fileExtension(let pattern)):
            alternatives = NameDemand(folded: pattern, isExtension: true).map { [.name($0)] }
        case .test(.path(let pattern)): alternatives = ItemDemand.path(pattern, below: root)
        case .test(.item(let identifier)): alternatives = [.row(identifier.row)]
        case .test(.directory(let identifier)): alternatives = [.parent(identifier.row)]
        case .test(.kinds(let mask)): kinds = mask
        case .test: break
        }
    }
}
