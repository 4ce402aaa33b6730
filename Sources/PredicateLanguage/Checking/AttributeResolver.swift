// Resolves keys to attributes, and checks operators and literals against their types.
// SPDX-License-Identifier: Apache-2.0

import Metadata

/// Resolves the keys of a predicate to attributes and checks types, so that errors are reported when the query is made.
/// A literal takes the type of the attribute beside it. A comparison that begins with its constant changes sides, for
/// the planner.
struct AttributeResolver {
    /// The types of the variables of the enclosing SUBQUERYs.
    var variables: [(name: String, type: StaticType)] = []
    /// Integers that are not written in plain decimal, by position.
    let unusualNumbers: [Int: String]
    /// Whether a leading 0 makes a number octal: in a comparison that names `mode`.
    private(set) var isOctal = false
    /// The level of the present node.
    private var depth = 0
    /// The number of parts of the predicate.
    private var nodes: Int
    /// The zone of local times.
    let zone: LocalZone
    /// Whether a date was read that depends on the zone.
    private(set) var readsZone: Bool
    /// How exact the dates are that constant texts became, by position.
    private(set) var writtenDates: [Int: DateText.Precision] = [:]
    /// Remarks on parts that are valid and probably mistaken.
    private(set) var hints: [PredicateHint] = []
    /// Media types that a comparison names, to be looked up in the database of types.
    private(set) var mediaTypes: [NamedMediaType] = []

    /// A media type as a comparison names it.
    struct NamedMediaType {
        let text: String
        let attribute: Attribute
        let position: Int
    }

    init(_ parser: Parser) {
        unusualNumbers = parser.unusualNumbers
        nodes = parser.nodes
        zone = parser.zone
        readsZone = parser.readsZone
    }

    /// Adds a remark, up to ``PredicateLimits/hints``.
    mutating func add(_ hint: @autoclosure () -> PredicateHint) {
        if hints.count < PredicateLimits.hints { hints.append(hint()) }
    }

    mutating func add(_ mediaType: NamedMediaType) {
        if mediaTypes.count < PredicateLimits.hints { mediaTypes.append(mediaType) }
    }

    mutating func resolve(root: PredicateNode) throws(PredicateError) -> PredicateNode {
        if let presence = try resolvePresence(root) { return presence }
        return try resolve(root)
    }

    /// Resolves `ATTRIBUTE == '*'` as the whole predicate: whether the attribute has a value. On the platform a query
    /// for every item is written so.
    private mutating func resolvePresence(_ root: PredicateNode) throws(PredicateError) -> PredicateNode? {
        guard case .comparison(var comparison) = root.kind, comparison.operation == .equal, comparison.options.isEmpty,
            comparison.right.constant == .string("*"), comparison.quantifier == nil || comparison.quantifier == .any,
            let attribute = try attribute(comparison.left)
        else { return nil }
        comparison.quantifier = nil
        comparison.left = Expression(.attribute(attribute), at: comparison.left.position.offset)
        comparison.operation = .notEqual
        comparison.right = Expression(.constant(.none), at: comparison.right.position.offset)
        return PredicateNode(.comparison(comparison), at: root.position.offset)
    }

    /// The attribute that an expression names and nothing else; nil for other expressions.
    private func attribute(_ expression: Expression) throws(PredicateError) -> Attribute? {
        if case .key(let key) = expression.kind {
            return try AttributeNames.attribute(key, at: expression.position.offset)
        }
        return try AttributeNames.extended(expression)
    }

    mutating func resolve(_ node: PredicateNode) throws(PredicateError) -> PredicateNode {
        var node = node
        depth += 1
        defer { depth -= 1 }
        switch node.kind {
        case .constant: break
        case .and(let terms): node.kind = .and(try resolve(terms))
        case .or(let terms): node.kind = .or(try resolve(terms))
        case .not(let term): node.kind = .not(try resolve(term))
        case .comparison(let comparison):
            let resolved = try resolve(comparison)
            remark(on: resolved)
            node.kind = AttributeResolver.comparingTypes(resolved, at: node.position.offset)
            if node.kind != .comparison(resolved) { try countParts(of: node, from: resolved) }
        }
        return node
    }

    /// Counts the parts that content types were expanded to: levels and comparisons that the text does not have.
    private mutating func countParts(of node: PredicateNode, from comparison: Comparison) throws(PredicateError) {
        guard depth + node.height <= PredicateLimits.nesting else {
            throw PredicateError(
                "the predicate is nested deeper than \(PredicateLimits.nesting) levels", at: node.position.offset)
        }
        // A comparison with its two sides for each type, and NOT or OR around them.
        nodes += 3 * (comparison.comparedTypes?.count ?? 1) + 2
        guard nodes <= PredicateLimits.nodes else {
            throw PredicateError(
                "the predicate has more than \(PredicateLimits.nodes) parts", at: node.position.offset)
        }
    }

    private mutating func resolve(_ terms: [PredicateNode]) throws(PredicateError) -> [PredicateNode] {
        var result: [PredicateNode] = []
        for term in terms { result.append(try resolve(term)) }
        return result
    }

    // MARK: Comparisons

    private mutating func resolve(_ comparison: Comparison) throws(PredicateError) -> Comparison {
        var comparison = comparison
        let wasOctal = isOctal
        isOctal = isOctal || comparison.names(.mode)
        defer { isOctal = wasOctal }
        if comparison.left.key?.type == .date { comparison.right = comparison.right.namingTimes(in: zone) }
        if comparison.right.key?.type == .date { comparison.left = comparison.left.namingTimes(in: zone) }
        var (left, leftType) = try resolve(comparison.left)
        if case .key(let key) = comparison.right.kind, Attribute(name: key) == nil {
            // Usually text without its quotes.
            throw PredicateError(
                "unknown attribute '\(key)'; text stands in quotes: '\(key)'", at: comparison.right.position.offset)
        }
        if case .member(let object, let member) = comparison.right.kind, case .key(let key) = object.kind,
            Attribute(name: key) == nil, key != AttributeNames.extendedKey
        {
            throw PredicateError(
                "unknown attribute '\(key)'; text stands in quotes: '\(key).\(member)'",
                at: comparison.right.position.offset)
        }
        var (right, rightType) = try resolve(comparison.right)
        imply(&comparison, &left, &leftType, &right, &rightType)
        if let quantifier = comparison.quantifier {
            switch leftType {
            case .array(let element): leftType = element
            case .unknown: break
            default:
                throw PredicateError(
                    "\(quantifier.rawValue) takes a list, and \(subject(left)) is \(leftType.noun)",
                    at: left.position.offset)
            }
        }
        if !comparison.operation.needsText, comparison.operation != .contains {
            if leftType == .date { (right, rightType) = try dates(right, rightType) }
            if rightType == .date || rightType == .array(.date) { (left, leftType) = try dates(left, leftType) }
        }
        comparison.left = left
        comparison.right = right
        try check(comparison, leftType, rightType)
        try checkTimes(comparison)
        try checkValues(comparison)
        return turned(comparison)
    }

    /// Makes a comparison of a list with one value a comparison of its elements, as Spotlight does: one that holds
    /// suffices, and for `!=` none may be equal. A list on the right changes sides with a constant on the left.
    private func imply(
        _ comparison: inout Comparison, _ left: inout Expression, _ leftType: inout StaticType,
        _ right: inout Expression, _ rightType: inout StaticType
    ) {
        guard comparison.quantifier == nil else { return }
        if case .array(let element) = rightType, right.attribute != nil, left.isLiteral, leftType.isScalar,
            element.isComparable(with: leftType), comparison.operation != .in,
            let reversed = comparison.operation.reversed
        {
            comparison.operation = reversed
            swap(&left, &right)
            swap(&leftType, &rightType)
        }
        guard case .array(let element) = leftType else { return }
        switch comparison.operation {
        case .contains: return
        case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual:
            guard rightType.isScalar else { return }
        case .between, .in, .beginsWith, .endsWith, .like, .matches, .conformsTo, .sameType:
            // A list of lists is compared with lists.
            if case .array = element { return }
            if case .array(.array) = rightType { return }
        }
        comparison.quantifier = .any
        if comparison.operation == .notEqual {
            (comparison.quantifier, comparison.operation) = (Comparison.Quantifier.none, .equal)
        }
    }

    /// Turns constant texts beside a date into dates and times.
    private mutating func dates(
        _ expression: Expression, _ type: StaticType
    ) throws(PredicateError) -> (Expression, StaticType) {
        switch expression.kind {
        case .constant(.string(let text)):
            let position = expression.position.offset
            if let time = RelativeTime.time(text, in: zone) { return (Expression(.time(time), at: position), .date) }
            guard let date = DateText.timestamp(text, in: zone) else {
                throw DateText.error(text, at: position)
            }
            if DateText.isLocal(text) { readsZone = true }
            writtenDates[position] = DateText.precision(of: text)
            return (Expression(.constant(.date(date)), at: position), .date)
        case .array(let elements):
            var dates: [Expression] = []
            var types: [StaticType] = []
            for element in elements {
                let own = element.constant.map(StaticType.init) ?? (element.time == nil ? .unknown : .date)
                let (date, type) = try self.dates(element, own)
                dates.append(date)
                types.append(type)
            }
            return (Expression(.array(dates), at: expression.position.offset), .array(StaticType.common(types)))
        default: return (expression, type)
        }
    }

    /// Writes `10 < size` as `size > 10`, and `'x' IN tags` as `tags CONTAINS 'x'`.
    private func turned(_ comparison: Comparison) -> Comparison {
        guard comparison.quantifier == nil, comparison.left.isLiteral, comparison.right.attribute != nil,
            let reversed = comparison.operation.reversed
        else { return comparison }
        var comparison = comparison
        comparison.operation = reversed
        swap(&comparison.left, &comparison.right)
        return comparison
    }
}

extension Comparison {
    /// Whether an attribute is named anywhere in it.
    fileprivate func names(_ attribute: Attribute) -> Bool {
        var isNamed = false
        let look = { (expression: Expression) in
            if expression.key == attribute { isNamed = true }
        }
        left.forEach(look)
        right.forEach(look)
        return isNamed
    }
}

extension Expression {
    /// The attribute whose name or alias it is, before keys are resolved.
    fileprivate var key: Attribute? {
        guard case .key(let key) = kind else { return nil }
        return Attribute(name: key)
    }

    /// The expression with `today` and its like as times, also in a list: words without quotes that are no attributes.
    fileprivate func namingTimes(in zone: LocalZone) -> Expression {
        switch kind {
        case .key(let word) where key == nil:
            RelativeTime.named(word, in: zone).map { Expression(.time($0), at: position.offset) } ?? self
        case .array(let elements): Expression(.array(elements.map { $0.namingTimes(in: zone) }), at: position.offset)
        default: self
        }
    }

    /// Whether it is a literal, a list of literals or a time, and so reads no attribute.
    var isLiteral: Bool { constant != nil || constantArray != nil || time != nil }
}
