// A predicate compiled for the columns of the index.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import MetadataIndex
import PredicateLanguage

/// A predicate compiled for the columns of the index, with cheap tests before costly ones in whatever order they are
/// written.
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
    /// The rough cost of testing one item, in nanoseconds.
    let cost: Int
    /// How testing it can fail.
    let fallibility: Fallibility

    /// The position among other parts, regardless of their cost: a constant first, then the viewer's access. An item that
    /// the viewer may not see is tested no further, so that the time of an answer tells nothing about it.
    private var rank: Int {
        switch kind {
        case .constant: 0
        case .test(.seen): 1
        default: 2
        }
    }

    static func constant(_ value: Bool) -> PlanNode { PlanNode(kind: .constant(value), cost: 0, fallibility: .never) }

    static func test(_ test: PlanTest) -> PlanNode {
        PlanNode(kind: .test(test), cost: test.cost, fallibility: test.fallibility)
    }

    static func not(_ node: PlanNode) -> PlanNode {
        switch node.kind {
        case .constant(let value): .constant(!value)
        case .not(let inner): inner
        default: PlanNode(kind: .not(node), cost: node.cost, fallibility: node.fallibility)
        }
    }

    static func all(_ nodes: [PlanNode]) -> PlanNode { join(nodes, neutral: true) }
    static func any(_ nodes: [PlanNode]) -> PlanNode { join(nodes, neutral: false) }

    /// Joins parts with AND (whose neutral part is true) or OR (false), and orders them by cost.
    ///
    /// A part whose values can raise an error (``Fallibility/error``) keeps its place: the parts before it may exist to
    /// guard it, as in `size > 0 AND 100 / size > 3`. A part that only a limit ends moves behind the parts that cannot
    /// fail, so that a regular expression sees few items. An answer never becomes an error or another answer by that; an
    /// error may become an answer, where a cheaper part rules the item out.
    private static func join(_ nodes: [PlanNode], neutral: Bool) -> PlanNode {
        var parts: [PlanNode] = []
        flattening: for node in nodes {
            switch node.kind {
            case .constant(neutral): continue
            // Parts behind one that decides are never tested; parts before it may still fail.
            case .constant:
                parts.append(node)
                break flattening
            case .all(let inner) where neutral: parts += inner
            case .any(let inner) where !neutral: parts += inner
            default: parts.append(node)
            }
        }
        var sorted: [PlanNode] = []
        var safe: [PlanNode] = []
        // One of these may hide the error of a later one, so they keep their order.
        var limited: [PlanNode] = []
        func settle() {
            sorted += safe.enumerated().sorted { $0.element.precedes($1.element, $0.offset < $1.offset, neutral) }
                .map(\.element)
            sorted += limited
            (safe, limited) = ([], [])
        }
        for part in parts {
            switch part.fallibility {
            case .never: safe.append(part)
            case .limit: limited.append(part)
            case .error:
                settle()
                sorted.append(part)
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
                fallibility: sorted.map(\.fallibility).max() ?? .never)
        }
    }

    /// Whether it is tested before another part of an AND (`neutral` is true) or OR: by rank, then by cost. If two have
    /// the same cost, the one that more often decides comes first, and then the one that is written first.
    private func precedes(_ other: PlanNode, _ isWrittenFirst: Bool, _ neutral: Bool) -> Bool {
        if rank != other.rank { return rank < other.rank }
        if cost != other.cost { return cost < other.cost }
        if isSelective != other.isSelective { return isSelective == neutral }
        return isWrittenFirst
    }

    /// Whether it holds for few items: equality, or a literal at a name's place.
    private var isSelective: Bool {
        switch kind {
        case .test(.name), .test(.foldedName), .test(.item), .test(.directory), .test(.number(_, .equal, _)),
            .test(.age(_, .equal, seconds: _)):
            true
        default: false
        }
    }
}

/// One test of an item.
enum PlanTest: Sendable {
    /// The name has these bytes at this place.
    case name(NameMatch, [UInt8])
    /// The name may have these bytes at this place without case and accents; no name that has them is left out.
    case foldedName(NameMatch, [UInt8])
    case namePattern(TextPattern)
    /// The text behind the last dot of the name; a name without one is tested as nil.
    case fileExtension(TextPattern)
    /// The absolute path.
    case path(TextPattern)
    /// The kind is among those whose bit (by raw value) is set.
    case kinds(UInt16)
    case number(IntegerColumn, IntegerComparison, Int64)
    /// A date compared with a number of seconds from the moment of the query.
    case age(IntegerColumn, IntegerComparison, seconds: Int64)
    case createdIsKnown
    case depth(IntegerComparison, Int64)
    /// The item is this one.
    case item(ItemIdentifier)
    /// The item lies directly in this directory.
    case directory(ItemIdentifier)
    /// A comparison that reads only the name of the owner, or of the group.
    case account(isGroup: Bool, PredicateNode)
    /// A comparison that reads only extended attributes and link targets.
    case xattrs(ExtendedAttributeTest)
    /// The content type is one of these.
    case contentType(TypeSet)
    case scope(ScopeTree)
    /// The item lies inside a package or an archive, at a place that the query does not search.
    case inside(Enclosure, SearchedPlaces)
    /// The name has the form of a conflict version's.
    case conflictVersion
    /// The number of its conflict versions.
    case conflicts(IntegerComparison, Int64)
    /// A comparison that reads only the state of shared items.
    case sync(SyncTest)
    /// The viewer may see the item.
    case seen(Viewer)
    /// A comparison that the predicate language evaluates.
    case general(PredicateNode)

    /// The cost of a regular expression on one short text; one that goes back and forth costs more.
    static let costOfMatching = 400

    var cost: Int {
        switch self {
        case .kinds: 1
        case .conflicts: 4
        case .sync: 5
        case .conflictVersion: 12
        case .number, .age, .createdIsKnown: 2
        case .item: 2
        case .name(.infix, _): 6
        case .name: 3
        case .foldedName: 7
        case .directory: 5
        case .scope: 10
        case .inside: 6
        case .seen: 11
        case .depth: 20
        case .account: 25
        case .namePattern(let pattern), .fileExtension(let pattern):
            pattern.operation == .matches ? PlanTest.costOfMatching : 60
        case .xattrs(let test): test.cost
        case .contentType: 80
        case .path(let pattern):
            pattern.operation == .matches || pattern.goesBack ? PlanTest.costOfMatching : 120
        case .general: 1_000
        }
    }

    /// How the test can fail.
    var fallibility: Fallibility {
        switch self {
        case .namePattern(let pattern), .fileExtension(let pattern), .path(let pattern):
            pattern.operation == .matches ? .limit : .never
        case .xattrs(let test): test.fallibility
        case .sync(let test): test.fallibility
        case .general(let node): node.fallibility
        default: .never
        }
    }

    /// Whether the test can fail.
    var isFallible: Bool { fallibility != .never }
}
