// The steps of a plan as text.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import MetadataIndex
import PredicateLanguage

extension QueryPlan {
    /// The steps by which the index answers the query, one on each line, in order. A `scan` step reads a column for a
    /// block of rows at a time, a `test` step tests the remaining rows one by one.
    package var explanation: String {
        var lines: [String] = []
        switch root.kind {
        case .constant(false): lines.append("nothing can match; nothing is tested")
        case .all(let parts): for part in parts { lines.append(part.explanation) }
        default: lines.append(root.explanation)
        }
        lines.append("live: " + demand.explanation)
        return lines.joined(separator: "\n")
    }
}

extension PlanNode {
    /// The step as a line of text.
    var explanation: String { (isKernel ? "scan: " : "test: ") + text }

    /// Whether all of its tests read columns.
    private var isKernel: Bool {
        switch kind {
        case .constant: true
        case .all(let parts), .any(let parts): parts.allSatisfy(\.isKernel)
        case .not(let part): part.isKernel
        case .test(.name), .test(.foldedName), .test(.kinds), .test(.number), .test(.age), .test(.createdIsKnown),
            .test(.item), .test(.conflicts):
            true
        case .test: false
        }
    }

    private var text: String {
        switch kind {
        case .constant(let value): value ? "true" : "false"
        case .all(let parts): "(" + parts.map(\.text).joined(separator: " and ") + ")"
        case .any(let parts): "(" + parts.map(\.text).joined(separator: " or ") + ")"
        case .not(let part): "not " + part.text
        case .test(let test): test.text
        }
    }
}

extension PlanTest {
    fileprivate var text: String {
        switch self {
        case .name(let match, let bytes): "name \(match.words) \(quote(bytes))"
        case .foldedName(let match, let bytes): "name \(match.words) \(quote(bytes)) but for case and accents"
        case .namePattern(let pattern): "name " + pattern.words
        case .fileExtension(let pattern): "fileExtension " + pattern.words
        case .path(let pattern): "path " + pattern.words
        case .kinds(let mask):
            "kind is "
                + FileKind.allCases.filter { mask >> UInt16($0.rawValue) & 1 != 0 }.map { "\($0)" }
                .joined(separator: " or ")
        case .number(let column, let comparison, let value):
            switch column {
            case .created, .modified, .changed:
                "\(column) \(comparison.symbol) \(Timestamp(nanoseconds: value).rfc3339)"
            case .owner, .group: "\(column)ID \(comparison.symbol) \(value)"
            default:
                "\(column) \(comparison.symbol) "
                    + (column.isUnsigned ? String(UInt64(bitPattern: value)) : String(value))
            }
        case .age(let column, let comparison, let seconds): "\(column) \(comparison.symbol) $time.now(\(seconds))"
        case .createdIsKnown: "created is known"
        case .depth(let comparison, let value): "depth \(comparison.symbol) \(value)"
        case .item: "id"
        case .directory: "parent"
        case .account(_, let node): "\(node), once for each name"
        case .xattrs(let test): "\(test.node), once for each set of attributes"
        case .contentType: "the content type, by kind and name"
        case .scope: "the scope, once for each directory"
        case .inside(let enclosure, let searched):
            (enclosure == .package ? "inside a package" : "inside .gather or .stversions")
                + (searched.isEmpty(in: enclosure) ? "" : " but where it is looked into") + ", once for each directory"
        case .conflictVersion: "the name has the form of a conflict version"
        case .conflicts(let comparison, let value): "conflictVersions \(comparison.symbol) \(value)"
        case .sync(let test): "\(test.node), once for each state of shared items"
        case .seen: "the caller may list the item, once for each directory"
        case .general(let node): "\(node)"
        }
    }
}

extension PlanDemand {
    fileprivate var explanation: String {
        guard let alternatives else {
            return kinds == PlanDemand.anyKind ? "each change is tested" : "changes of items of other kinds pass it by"
        }
        if alternatives.isEmpty { return "no change is tested" }
        let shown = alternatives.prefix(4).map(\.words).joined(separator: " or ")
        return "only changes of items are tested whose \(shown)\(alternatives.count > 4 ? " or …" : "")"
    }
}

extension ItemDemand {
    fileprivate var words: String {
        switch self {
        case .name(let name):
            "name \(name.match.words) \(quote(name.bytes))\(name.isFolded ? " but for case and accents" : "")"
        case .row: "id is the one"
        case .parent: "parent is the one"
        case .path(let bytes): "path in the container begins with \(quote(bytes))"
        }
    }
}

extension TextPattern {
    fileprivate var words: String { "\(operation.rawValue)\(options.text) \(quote(Array(text.utf8)))" }
}

extension NameMatch {
    fileprivate var words: String {
        switch self {
        case .equal: "is"
        case .prefix: "begins with"
        case .suffix: "ends with"
        case .infix: "contains"
        }
    }
}

extension IntegerComparison {
    fileprivate var symbol: String {
        switch self {
        case .equal: "=="
        case .notEqual: "!="
        case .less: "<"
        case .lessOrEqual: "<="
        case .greater: ">"
        case .greaterOrEqual: ">="
        }
    }
}

private func quote(_ bytes: [UInt8]) -> String { "'" + String(decoding: bytes, as: UTF8.self) + "'" }
