// Compiles a checked predicate into a plan's tests.
// SPDX-License-Identifier: Apache-2.0

import ContentTypes
import Metadata
import MetadataIndex
import PredicateLanguage

/// Compiles a checked predicate, with its times resolved, for one container. A comparison without a typed test is left
/// to the language.
struct PlanCompiler {
    let environment: PlanEnvironment

    func compile(_ node: PredicateNode) -> PlanNode {
        switch node.kind {
        case .constant(let value): .constant(value)
        case .and(let parts): .all(parts.map(compile))
        case .or(let parts): .any(parts.map(compile))
        case .not(let part): .not(compile(part))
        case .comparison(let comparison): compile(comparison, node)
        }
    }

    private func compile(_ comparison: Comparison, _ node: PredicateNode) -> PlanNode {
        if node.followsClock {
            if let compiled = compileAge(comparison) { return compiled }
            return compile(node.resolved(at: environment.now))
        }
        let attributes = node.attributes
        if attributes.isEmpty {
            // The comparison reads no attribute: one answer for all items, unless it is an error.
            return answer(node, OneValue(attribute: .name, value: .none)).map(PlanNode.constant)
                ?? .test(.general(node))
        }
        if attributes.allSatisfy(\.isExtra) { return .test(.xattrs(ExtendedAttributeTest(comparison, node))) }
        if attributes.allSatisfy(\.isOfSync) { return .test(.sync(SyncTest(node: node))) }
        if attributes.count == 1, let compiled = compileByValue(attributes[0], node) { return compiled }
        if comparison.quantifier != nil {
            return .test(.general(node))
        }
        guard let attribute = comparison.left.attribute else { return .test(.general(node)) }
        if let compiled = compilePresence(attribute, comparison) { return compiled }
        let compiled =
            switch attribute {
            case .name, .displayName, .fileExtension, .path: compileText(attribute, comparison)
            case .id, .parent: compileIdentifier(attribute, comparison)
            case .size, .ownerID, .groupID, .mode, .inode, .device, .links, .depth, .created, .modified, .changed,
                .conflictVersions:
                compileNumber(attribute, comparison)
            default: nil as PlanNode?
            }
        return compiled ?? .test(.general(node))
    }

    // MARK: Attributes with few values

    /// The language's answer for an item; nil for an error.
    private func answer(_ node: PredicateNode, _ item: OneValue) -> Bool? {
        try? node.evaluate(on: item)
    }

    /// Compiles a comparison that reads one attribute with few values by evaluating it for each value now.
    private func compileByValue(_ attribute: Attribute, _ node: PredicateNode) -> PlanNode? {
        func answer(_ value: MetadataValue) -> Bool? {
            self.answer(node, OneValue(attribute: attribute, value: value))
        }
        switch attribute {
        case .container: return answer(.string(environment.container)).map(PlanNode.constant)
        case .kind:
            var mask: UInt16 = 0
            for kind in FileKind.allCases {
                guard let holds = answer(.string(kind.name.description)) else { return nil }
                if holds { mask |= 1 << UInt16(kind.rawValue) }
            }
            if mask == 0 { return .constant(false) }
            return mask.nonzeroBitCount == FileKind.allCases.count ? .constant(true) : .test(.kinds(mask))
        case .contentType, .contentTypeTree:
            let types = environment.types
            let set = TypeSet(types) { type in
                guard let type else { return answer(.none) }
                if attribute == .contentType { return answer(.string(type)) }
                return answer(.array(types.tree(of: type).map { .string($0) }))
            }
            return set.map { set in set.constant.map(PlanNode.constant) ?? .test(.contentType(set)) }
        case .hidden:
            let test = PlanNode.test(.name(.prefix, [UInt8(ascii: ".")]))
            return choose(answer(.boolean(true)), answer(.boolean(false)), test)
        case .inPackage:
            let inside = PlanNode.test(.inside(.package, SearchedPlaces()))
            return choose(answer(.boolean(true)), answer(.boolean(false)), inside)
        case .isConflictVersion: return choose(answer(.boolean(true)), answer(.boolean(false)), PlanCompiler.isVersion)
        case .hasUnresolvedConflicts:
            return choose(answer(.boolean(true)), answer(.boolean(false)), .test(.conflicts(.greater, 0)))
        case .conflictOf, .conflictDevice, .conflictDate:
            // Only conflict versions have them, and those are few.
            return answer(.none).map { holds in
                let general = PlanNode.test(.general(node))
                return holds
                    ? .any([.not(PlanCompiler.isVersion), general]) : .all([PlanCompiler.isVersion, general])
            }
        case .scope:
            let test = PlanNode.test(.scope(ScopeTree([.documents])))
            return choose(answer(.string("documents")), answer(.string("data")), test)
        case .owner, .group:
            // Account names are unknown now, so the comparison must not fail for any. A comparison of the name itself
            // with a constant does not, unless it is a regular expression.
            guard case .comparison(let comparison) = node.kind, comparison.left.attribute == attribute,
                comparison.right.constant != nil, comparison.operation != .matches, answer(.string("root")) != nil
            else { return nil }
            return .test(.account(isGroup: attribute == .group, node))
        default: return nil
        }
    }

    /// Finds the conflict versions, as `RowReader.isConflictVersion(_:)` tells them: first names with the text before the date.
    private static let isVersion = PlanNode.all([
        .test(.kinds(1 << UInt16(FileKind.file.rawValue))), .test(.name(.infix, ConflictName.marker)),
        .test(.conflictVersion), .not(.test(.inside(.archive, SearchedPlaces()))),
    ])

    private func choose(_ whenTrue: Bool?, _ whenFalse: Bool?, _ test: PlanNode) -> PlanNode? {
        guard let whenTrue, let whenFalse else { return nil }
        if whenTrue == whenFalse { return .constant(whenTrue) }
        return whenTrue ? test : .not(test)
    }

    /// Compiles `attribute == nil` and `!= nil`.
    private func compilePresence(_ attribute: Attribute, _ comparison: Comparison) -> PlanNode? {
        guard comparison.right.constant == MetadataValue.none,
            comparison.operation == .equal || comparison.operation == .notEqual
        else { return nil }
        let isPresent: PlanNode
        switch attribute {
        case .created: isPresent = .test(.createdIsKnown)
        case .parent, .fileExtension, .contentType, .contentTypeTree, .conflictOf, .conflictDevice, .conflictDate:
            return nil
        default: isPresent = .constant(true)
        }
        return comparison.operation == .notEqual ? isPresent : .not(isPresent)
    }

    // MARK: Text

    private func compileText(_ attribute: Attribute, _ comparison: Comparison) -> PlanNode? {
        if let pattern = comparison.pattern { return compileText(attribute, pattern) }
        guard comparison.operation == .in, comparison.options.isEmpty, let values = comparison.right.constantArray
        else {
            return nil
        }
        var parts: [PlanNode] = []
        for value in values {
            switch value {
            case .string(let text):
                guard let pattern = try? TextPattern(.equal, text) else { return nil }
                parts.append(compileText(attribute, pattern))
            // Every item has a name, and it never equals a number.
            case .none where attribute == .fileExtension: return nil
            default: continue
            }
        }
        return .any(parts)
    }

    private func compileText(_ attribute: Attribute, _ pattern: TextPattern) -> PlanNode {
        switch attribute {
        case .path:
            if pattern.matchesNothing { return .constant(false) }
            return pattern.matchesEverything ? .constant(true) : .test(.path(pattern))
        case .fileExtension: return compileExtension(pattern)
        default: break
        }
        if pattern.matchesNothing { return .constant(false) }
        if pattern.matchesEverything { return .constant(true) }
        if pattern.operation == .notEqual, let equal = try? TextPattern(.equal, pattern.text, options: pattern.options)
        {
            return .not(compileText(attribute, equal))
        }
        guard let literal = pattern.requiredLiteral, !literal.bytes.isEmpty else {
            return narrowed(.namePattern(pattern), NameDemand(folded: pattern, isExtension: false))
        }
        let narrow = PlanNode.test(.name(NameMatch(literal.place), literal.bytes))
        return literal.isSufficient ? narrow : .all([narrow, .test(.namePattern(pattern))])
    }

    /// Narrows the names by the literal that folded matches contain. A fallible test never fails for a name without it
    /// (``RegularExpression``), so the answer is the same.
    private func narrowed(_ test: PlanTest, _ demand: NameDemand?) -> PlanNode {
        guard let demand else { return .test(test) }
        return .all([.test(.foldedName(demand.match, demand.bytes)), .test(test)])
    }

    /// Narrows the names by the literal that the extension contains.
    private func compileExtension(_ pattern: TextPattern) -> PlanNode {
        if pattern.matchesNothing { return .constant(false) }
        let test = PlanNode.test(.fileExtension(pattern))
        guard let literal = pattern.requiredLiteral, !literal.bytes.isEmpty else {
            return narrowed(.fileExtension(pattern), NameDemand(folded: pattern, isExtension: true))
        }
        let dot = [UInt8(ascii: ".")]
        let narrow: PlanTest =
            switch literal.place {
            case .whole: .name(.suffix, dot + literal.bytes)
            case .prefix: .name(.infix, dot + literal.bytes)
            case .suffix: .name(.suffix, literal.bytes)
            case .infix: .name(.infix, literal.bytes)
            }
        if literal.place == .whole, literal.isSufficient {
            return literal.bytes.contains(UInt8(ascii: ".")) ? .constant(false) : .test(narrow)
        }
        return .all([.test(narrow), test])
    }

    /// Compiles `id == '…'` and `parent == '…'`, which name one row, and IN, which names several.
    private func compileIdentifier(_ attribute: Attribute, _ comparison: Comparison) -> PlanNode? {
        guard comparison.options.isEmpty else { return nil }
        switch comparison.operation {
        case .equal:
            guard case .string(let text) = comparison.right.constant else { return nil }
            return test(attribute, text)
        case .in:
            guard let values = comparison.right.constantArray else { return nil }
            var parts: [PlanNode] = []
            for value in values {
                guard case .string(let text) = value else { return nil }
                parts.append(test(attribute, text))
            }
            return .any(parts)
        default: return nil
        }
    }

    private func test(_ attribute: Attribute, _ text: String) -> PlanNode {
        guard let (epoch, identifier) = ItemIdentifier.parse(text.utf8), epoch == environment.epoch,
            identifier.row != .root
        else { return .constant(false) }
        return .test(attribute == .id ? .item(identifier) : .directory(identifier))
    }

    // MARK: Numbers and dates

    private func compileNumber(_ attribute: Attribute, _ comparison: Comparison) -> PlanNode? {
        guard comparison.options.isEmpty else { return nil }
        switch comparison.operation {
        case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual:
            guard let constant = number(comparison.right, for: attribute) else { return nil }
            return compare(attribute, comparison.operation, constant)
        case .between:
            guard case .array(let bounds) = comparison.right.kind, bounds.count == 2,
                let low = number(bounds[0], for: attribute), let high = number(bounds[1], for: attribute)
            else { return nil }
            return .all([compare(attribute, .greaterOrEqual, low), compare(attribute, .lessOrEqual, high)])
        case .in:
            guard case .array(let elements) = comparison.right.kind else { return nil }
            var parts: [PlanNode] = []
            for element in elements {
                guard let constant = number(element, for: attribute) else { return nil }
                parts.append(compare(attribute, .equal, constant))
            }
            return .any(parts)
        default: return nil
        }
    }

    private enum Number {
        case exact(Int64)
        /// Between this integer and the next.
        case above(Int64)
    }

    /// The number that a date or integer attribute is compared with; nil where it is no plain constant of its type. That of an
    /// unsigned attribute is the integer with the same bits.
    private func number(_ expression: Expression, for attribute: Attribute) -> Number? {
        switch (attribute.type, expression.kind) {
        case (.integer, .constant(.integer(let value))): return attribute.isUnsigned && value < 0 ? nil : .exact(value)
        case (.integer, .constant(.unsigned(let value))):
            return attribute.isUnsigned ? .exact(Int64(bitPattern: value)) : nil
        case (.integer, .constant(.number(let value))):
            // Beyond 2^53 floating-point numbers do not distinguish neighbouring integers.
            guard value.magnitude <= 0x1p53, !attribute.isUnsigned || value >= 0 else { return nil }
            let whole = value.rounded(.down)
            return whole == value ? .exact(Int64(whole)) : .above(Int64(whole))
        case (.date, .constant(.date(let value))): return .exact(value.nanoseconds)
        default: return nil
        }
    }

    private func compare(_ attribute: Attribute, _ operation: Comparison.Operator, _ number: Number) -> PlanNode {
        switch number {
        case .exact(let value):
            switch operation {
            case .equal: return test(attribute, .equal, value)
            // A missing time of birth equals no date.
            case .notEqual: return .not(test(attribute, .equal, value))
            case .less: return test(attribute, .less, value)
            case .lessOrEqual: return test(attribute, .lessOrEqual, value)
            case .greater: return test(attribute, .greater, value)
            default: return test(attribute, .greaterOrEqual, value)
            }
        case .above(let value):
            switch operation {
            case .equal: return .constant(false)
            case .notEqual: return .constant(true)
            case .less, .lessOrEqual: return test(attribute, .lessOrEqual, value)
            default: return test(attribute, .greater, value)
            }
        }
    }

    private func test(_ attribute: Attribute, _ comparison: IntegerComparison, _ value: Int64) -> PlanNode {
        let column: IntegerColumn
        switch attribute {
        case .size: column = .size
        case .created: column = .created
        case .modified: column = .modified
        case .changed: column = .changed
        case .ownerID: column = .owner
        case .groupID: column = .group
        case .mode: column = .mode
        case .inode: column = .inode
        case .device: column = .device
        case .links: column = .links
        case .conflictVersions: return .test(.conflicts(comparison, value))
        default: return .test(.depth(comparison, value))
        }
        return .test(.number(column, comparison, value))
    }
}

extension NameMatch {
    init(_ place: RequiredLiteral.Place) {
        switch place {
        case .whole: self = .equal
        case .prefix: self = .prefix
        case .suffix: self = .suffix
        case .infix: self = .infix
        }
    }
}
