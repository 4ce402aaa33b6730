// A predicate compiled for the columns of the index.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import MetadataIndex
import PredicateLanguage

/// A predicate compiled for the columns of the index: what is cheap comes first wherever that cannot change the answer.
struct PlanNode: Sendable {
    indirect enum Kind: Sendable {
        case constant(Bool)
        /// All hold, tested in this order up to the first that does not.
        case all([PlanNode])
        /// One holds, tested in this order up to the first that does.
        case any([PlanNode])
        case not(PlanNode)
        case test(PlanTest)
    }

    let kind: Kind
    /// What one test of it costs, roughly in nanoseconds.
    let cost: Int
    /// Whether testing it can fail, so that nothing may be moved past it.
    let isFallible: Bool

    /// Where it stands among others, whatever they cost: what decides comes first, and then who may see the item. What
    /// somebody does not see is asked nothing else, so that the time of an answer says nothing of it.
    private var rank: Int {
        switch kind {
        case .constant: 0
        case .test(.seen): 1
        default: 2
        }
    }

    static func constant(_ value: Bool) -> PlanNode { PlanNode(kind: .constant(value), cost: 0, isFallible: false) }

    static func test(_ test: PlanTest) -> PlanNode {
        PlanNode(kind: .test(test), cost: test.cost, isFallible: test.isFallible)
    }

    static func not(_ node: PlanNode) -> PlanNode {
        switch node.kind {
        case .constant(let value): .constant(!value)
        case .not(let inner): inner
        default: PlanNode(kind: .not(node), cost: node.cost, isFallible: node.isFallible)
        }
    }

    static func all(_ nodes: [PlanNode]) -> PlanNode { join(nodes, neutral: true) }
    static func any(_ nodes: [PlanNode]) -> PlanNode { join(nodes, neutral: false) }

    /// Joins parts with AND (whose neutral part is true) or OR (false).
    private static func join(_ nodes: [PlanNode], neutral: Bool) -> PlanNode {
        var parts: [PlanNode] = []
        flattening: for node in nodes {
            switch node.kind {
            case .constant(neutral): continue
            // What stands behind a part that decides is never tested; what stands before it may still fail.
            case .constant:
                parts.append(node)
                break flattening
            case .all(let inner) where neutral: parts += inner
            case .any(let inner) where !neutral: parts += inner
            default: parts.append(node)
            }
        }
        // Between two parts that can fail the order is free: each of the others only says yes or no.
        var sorted: [PlanNode] = []
        var run: [PlanNode] = []
        func settle() {
            let ordered = run.enumerated().sorted {
                ($0.element.rank, $0.element.cost, $0.offset) < ($1.element.rank, $1.element.cost, $1.offset)
            }
            sorted += ordered.map(\.element)
            run = []
        }
        for part in parts {
            if part.isFallible {
                settle()
                sorted.append(part)
            } else {
                run.append(part)
            }
        }
        settle()
        // A part that decides ends the list once more: after the sorting it stands first in its run.
        if let end = sorted.firstIndex(where: { if case .constant = $0.kind { true } else { false } }) {
            sorted.removeSubrange((end + 1)...)
        }
        switch sorted.count {
        case 0: return .constant(neutral)
        case 1: return sorted[0]
        default:
            return PlanNode(
                kind: neutral ? .all(sorted) : .any(sorted), cost: sorted.reduce(0) { $0 + $1.cost },
                isFallible: sorted.contains(where: \.isFallible))
        }
    }
}

/// One test of an item.
enum PlanTest: Sendable {
    /// The name has these bytes there.
    case name(NameMatch, [UInt8])
    /// The name may have these bytes there once its case and accents are dropped: no name that has is left out.
    case foldedName(NameMatch, [UInt8])
    case namePattern(TextPattern)
    /// What follows the last dot of the name; a name without is tested as nil.
    case fileExtension(TextPattern)
    /// The absolute path.
    case path(TextPattern)
    /// The kind is among those whose bit (by raw value) is set.
    case kinds(UInt16)
    case number(IntegerColumn, IntegerComparison, Int64)
    /// A date compared with the moment of asking and so many seconds.
    case age(IntegerColumn, IntegerComparison, seconds: Int64)
    case createdIsKnown
    case depth(IntegerComparison, Int64)
    /// It is this item.
    case item(ItemIdentifier)
    /// It lies directly in this directory.
    case directory(ItemIdentifier)
    /// A comparison that reads the name of the owner, or of the group, and nothing else.
    case account(isGroup: Bool, PredicateNode)
    /// A comparison that reads extra attributes and nothing else.
    case extras(ExtrasTest)
    /// The content type is one of these.
    case contentType(TypeSet)
    case scope(ScopeTree)
    /// It lies inside a package, and not where that is opened.
    case insidePackage(PackageOpenings)
    /// It is there for this viewer.
    case seen(Viewer)
    /// Left to the predicate language.
    case general(PredicateNode)

    /// A regular expression on one short text; more where it goes back and forth.
    static let costOfMatching = 400

    var cost: Int {
        switch self {
        case .kinds: 1
        case .number, .age, .createdIsKnown: 2
        case .item: 2
        case .name(.infix, _): 6
        case .name: 3
        case .foldedName: 7
        case .directory: 5
        case .scope: 10
        case .insidePackage: 6
        case .seen: 11
        case .depth: 20
        case .account: 25
        case .namePattern(let pattern), .fileExtension(let pattern):
            pattern.operation == .matches ? PlanTest.costOfMatching : 60
        case .extras(let test): test.cost
        case .contentType: 80
        case .path(let pattern):
            pattern.operation == .matches || pattern.goesBack ? PlanTest.costOfMatching : 120
        case .general: 1_000
        }
    }

    var isFallible: Bool {
        switch self {
        case .namePattern(let pattern), .fileExtension(let pattern), .path(let pattern):
            pattern.operation == .matches
        case .extras(let test): test.isFallible
        case .general: true
        default: false
        }
    }
}
