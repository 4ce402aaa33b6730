// The plan that answers one query from the index of one container.
// SPDX-License-Identifier: Apache-2.0

package import Metadata
package import MetadataIndex
package import PredicateLanguage

/// The plan that answers one query from the index of one container. It is made once for each query and container, and
/// serves scans on any thread and tests of single items.
package struct QueryPlan: Sendable {
    /// The container and the moment that it is made for.
    package private(set) var environment: PlanEnvironment
    /// Whether it stands for a plan that is still being made, and matches nothing.
    package let isProvisional: Bool
    /// The attributes that the predicate reads.
    package let attributes: AttributeSet
    /// The time zone of the predicate, if its meaning depends on that.
    package let zone: LocalZone?

    /// The scope, the predicate and the viewer's access in one.
    private(set) var root: PlanNode
    /// The scope and the predicate, for a viewer that sees every item.
    private var tests: PlanNode
    let scope: ScopeTree
    /// The scopes as they were given.
    private let scopes: [QueryScope]
    private(set) var demand: PlanDemand
    /// The dependence of its answer on the clock (`now()`, `$time…`); nil where there is none. The plan is valid for
    /// the moment of its environment; ``at(_:)`` makes one for another.
    let clock: ClockDependence?
    /// Bounds of the answer without the viewer: `upper` holds if an item matches at some moment, `lower` if it matches
    /// at all.
    private(set) var upper = PlanNode.constant(true)
    private(set) var lower = PlanNode.constant(false)

    /// Plans a predicate that was read in metadata mode. `scopes` are the parts of the container to search. An item in
    /// two of them counts once; without scopes no item matches.
    package init(_ predicate: Predicate, scopes: [QueryScope] = [.whole], environment: PlanEnvironment) {
        self.environment = environment
        isProvisional = false
        attributes = AttributeSet(predicate.attributes)
        zone = predicate.zone
        clock = ClockDependence(predicate)
        scope = ScopeTree(scopes)
        self.scopes = scopes
        tests = QueryPlan.tests(predicate, scope, scopes, environment)
        root = QueryPlan.root(tests, for: environment.viewer)
        demand = PlanDemand(root, root: environment.rootPath)
        if clock != nil { (upper, lower) = (tests.bound(upper: true), tests.bound(upper: false)) }
    }

    /// Makes the plan that stands for one being made. It matches nothing and costs nothing.
    package init(provisionalIn environment: PlanEnvironment) {
        self.environment = environment
        isProvisional = true
        attributes = AttributeSet()
        zone = nil
        clock = nil
        scope = ScopeTree([])
        scopes = []
        tests = .constant(false)
        root = .constant(false)
        demand = PlanDemand(root, root: environment.rootPath)
    }

    private static func tests(
        _ predicate: Predicate, _ scope: ScopeTree, _ scopes: [QueryScope], _ environment: PlanEnvironment
    ) -> PlanNode {
        let compiled = PlanCompiler(environment: environment).compile(predicate.root)
        // Items outside the scope, or inside a package or an archive, are no items of this query, so these tests come before
        // tests that can fail or take long.
        var parts = [compiled]
        let searched = SearchedPlaces(scopes, compiled, root: environment.rootPath)
        if QueryPlan.hidesPackages(predicate, environment) {
            parts.insert(.not(.test(.inside(.package, searched))), at: 0)
        }
        parts.insert(.not(.test(.inside(.archive, searched))), at: 0)
        if !scope.isWhole { parts.insert(scope.isEmpty ? .constant(false) : .test(.scope(scope)), at: 0) }
        return .all(parts)
    }

    /// Puts the viewer's access first: an item that the viewer may not see is tested no further.
    private static func root(_ tests: PlanNode, for viewer: Viewer?) -> PlanNode {
        guard let viewer else { return tests }
        return .all([viewer.seesAnything ? .test(.seen(viewer)) : .constant(false), tests])
    }

    /// Returns the plan for a viewer, without compiling.
    package func seen(by viewer: Viewer) -> QueryPlan {
        var plan = self
        plan.see(by: viewer)
        return plan
    }

    private mutating func see(by viewer: Viewer?) {
        let matchedNothing = matchesNothing
        environment.viewer = viewer
        root = QueryPlan.root(tests, for: viewer)
        if matchesNothing != matchedNothing { demand = PlanDemand(root, root: environment.rootPath) }
    }

    /// Returns the plan for another container, at the same moment and with the same content types; nil where it must be
    /// compiled. A daemon may have a thousand containers, and most plans are equal in all.
    package func moved(to environment: PlanEnvironment, scopes: [QueryScope]) -> QueryPlan? {
        guard scopes == self.scopes, environment.now == self.environment.now, !isProvisional,
            !environment.hasPackages, !self.environment.hasPackages,
            QueryPlan.ofContainer.allSatisfy({ !attributes.contains($0) })
        else { return nil }
        var plan = self
        plan.environment = environment
        if environment.viewer != self.environment.viewer { plan.see(by: environment.viewer) }
        return plan
    }

    /// The attributes whose tests depend on the container: an answer for all items, one row, the beginning of a path.
    private static let ofContainer: [Attribute] = [.container, .id, .parent, .path, .conflictOf]

    /// Returns the plan with other account names, without compiling: names are looked up at each test.
    package func naming(by accounts: any AccountNaming) -> QueryPlan {
        var plan = self
        plan.environment.accounts = accounts
        return plan
    }

    /// Restricts a node to the items that the viewer may see.
    func ofSeen(_ node: PlanNode) -> PlanNode { QueryPlan.root(node, for: environment.viewer) }

    /// Whether items inside packages are hidden from the query.
    private static func hidesPackages(_ predicate: Predicate, _ environment: PlanEnvironment) -> Bool {
        environment.hasPackages && !predicate.attributes.contains(.inPackage)
    }

    /// Whether the predicate's answer follows the clock.
    package var followsClock: Bool { clock != nil }

    /// Whether the moments at which the clock changes its answer are known; otherwise it is evaluated again from time
    /// to time.
    package var knowsItsMoments: Bool { clock?.isOpaque == false }

    /// Whether the plan is also right for another moment. Comparisons with `$time.now(n)` follow the moment;
    /// comparisons with units need a new plan once the unit is over.
    package func isCompiled(for now: Timestamp) -> Bool { clock?.isAlike(environment.now, now) ?? true }

    /// Returns the plan for another moment, compiled anew only where ``isCompiled(for:)`` is false.
    package func at(_ now: Timestamp) -> QueryPlan {
        var plan = self
        plan.environment.now = now
        guard let clock, !isCompiled(for: now) else { return plan }
        plan.tests = QueryPlan.tests(clock.predicate, scope, scopes, plan.environment)
        plan.root = QueryPlan.root(plan.tests, for: environment.viewer)
        plan.demand = PlanDemand(plan.root, root: plan.environment.rootPath)
        (plan.upper, plan.lower) = (plan.tests.bound(upper: true), plan.tests.bound(upper: false))
        return plan
    }

    /// The next moment at which the clock changes the answer for an item; nil where there is none.
    func nextMoment(of row: Row, in snapshot: IndexSnapshot, _ place: inout ItemPlace) -> Int64? {
        guard let clock, !clock.ages.isEmpty,
            environment.viewer.map({ $0.sees(row, in: snapshot) }) ?? true,
            let moment = clock.nextMoment(of: environment.status(of: row, in: snapshot), after: environment.now),
            (try? holds(upper, row, snapshot, &place)) ?? true,
            (try? !holds(lower, row, snapshot, &place)) ?? true
        else { return nil }
        return moment
    }

    /// Whether its scope, or attributes that it reads (path, depth, scope), depend on the place of an item. A moved
    /// directory may then change its answer for every item below.
    package var isPlaceSensitive: Bool { attributes.followFromPlace || scope.dependsOnPlace }

    /// The properties of the directories above an item that its answer depends on.
    var causes: SubtreeChange.Causes {
        var causes: SubtreeChange.Causes = []
        if matchesNothing { return causes }
        causes.insert(.archive)
        if isPlaceSensitive { causes.insert(.place) }
        if environment.viewer != nil { causes.insert(.access) }
        if environment.hasPackages || attributes.contains(.inPackage) { causes.insert(.package) }
        return causes
    }

    /// Whether the predicate reads extended attributes or link targets, which the index has only after the first query
    /// for them.
    package var readsXattrs: Bool { attributes.containsXattrs }

    /// Whether the predicate reads names of users or groups, which may have to be looked up.
    package var readsAccounts: Bool { attributes.contains(.owner) || attributes.contains(.group) }

    /// Whether another plan of the same query uses other account names that the predicate reads or the subscriber is
    /// told.
    func hasOtherAccounts(_ other: QueryPlan, for attributes: AttributeSet) -> Bool {
        environment.accounts !== other.environment.accounts
            && (readsAccounts || attributes.contains(.owner) || attributes.contains(.group))
    }

    /// Whether using this plan, or changing to `next`, may look up account names.
    func asksForAccounts(before next: QueryPlan?, for attributes: AttributeSet) -> Bool {
        readsAccounts || next.map { $0.readsAccounts || hasOtherAccounts($0, for: attributes) } ?? false
    }

    /// Whether testing one item may take too long for an event loop: a regular expression may take all its permitted
    /// steps.
    package var isCostly: Bool { root.cost >= PlanTest.costOfMatching }

    /// Whether nothing can match, as far as known without a test.
    package var matchesNothing: Bool {
        if case .constant(false) = root.kind { true } else { false }
    }
}

// MARK: One item

extension QueryPlan {
    /// Whether an item matches. The root is no item and does not match.
    package func matches(_ row: Row, in reader: some RowReader) throws(EvaluationError) -> Bool {
        var place = ItemPlace()
        if row == .root { return false }
        return try holds(root, row, reader, &place)
    }

    func matches(
        _ row: Row, in reader: some RowReader, at place: inout ItemPlace
    ) throws(EvaluationError) -> Bool {
        try holds(root, row, reader, &place)
    }

    func holds(
        _ node: PlanNode, _ row: Row, _ reader: some RowReader, _ place: inout ItemPlace
    ) throws(EvaluationError) -> Bool {
        switch node.kind {
        case .constant(let value): return value
        case .all(let parts):
            for part in parts where try !holds(part, row, reader, &place) { return false }
            return true
        case .any(let parts):
            for part in parts where try holds(part, row, reader, &place) { return true }
            return false
        case .not(let part): return try !holds(part, row, reader, &place)
        case .test(let test): return try holds(test, row, reader, &place)
        }
    }

    func holds(
        _ test: PlanTest, _ row: Row, _ reader: some RowReader, _ place: inout ItemPlace
    ) throws(EvaluationError) -> Bool {
        switch test {
        case .name(let match, let bytes):
            return reader.withName(of: row) { name in
                bytes.withUnsafeBytes { RawBytes.has(name, $0, match) }
            }
        case .foldedName(let match, let bytes):
            return reader.withName(of: row) { name in
                TextPattern.folded(name) { folded in
                    bytes.withUnsafeBytes { RawBytes.has(folded, $0, match) }
                }
            }
        case .namePattern(let pattern):
            return try reader.withName(of: row) { (name) throws(EvaluationError) in try pattern.matches(name) }
        case .fileExtension(let pattern):
            return try reader.withName(of: row) { (name) throws(EvaluationError) in
                guard let text = DerivedText.fileExtension(of: name) else { return pattern.operation == .notEqual }
                return try pattern.matches(text)
            }
        case .path(let pattern):
            place.know(row, reader)
            let path = environment.rootPath + [UInt8(ascii: "/")] + place.path
            return try path.withUnsafeBufferPointer { (bytes) throws(EvaluationError) in
                try pattern.matches(UnsafeRawBufferPointer(bytes))
            }
        case .kinds(let mask): return mask >> UInt16(reader.kind(of: row).rawValue) & 1 != 0
        case .number(let column, let comparison, let constant):
            guard let value = environment.status(of: row, in: reader).number(column) else { return false }
            return comparison.holds(value, constant, in: column)
        case .age(let column, let comparison, let seconds):
            guard let value = environment.status(of: row, in: reader).number(column) else { return false }
            return comparison.holds(value, environment.threshold(seconds))
        case .createdIsKnown: return reader.status(of: row).created != nil
        case .depth(let comparison, let constant):
            place.know(row, reader)
            return comparison.holds(Int64(DerivedText.depth(ofPath: place.path)), constant)
        case .item(let identifier): return row == identifier.row && reader.identifier(of: row) == identifier
        case .directory(let identifier):
            return reader.parent(of: row) == identifier.row && reader.identifier(of: identifier.row) == identifier
        case .account(let isGroup, let node):
            let status = reader.status(of: row)
            return accountHolds(node, isGroup: isGroup, isGroup ? status.group : status.owner)
        case .xattrs(let test): return try test.holds(environment.xattrs(of: row, in: reader))
        case .contentType(let types):
            let kind = reader.kind(of: row)
            return reader.withName(of: row) { types.contains(kind, $0) }
        case .inside(let enclosure, let searched): return searched.hide(row, in: enclosure, reader, &place)
        case .conflictVersion: return reader.withName(of: row) { DerivedText.isConflictName($0) }
        case .conflicts(let comparison, let constant):
            return comparison.holds(environment.conflictVersions(of: row, in: reader), constant)
        case .sync(let test): return try test.holds(reader.sync(of: row))
        case .seen(let viewer): return viewer.sees(row, in: reader)
        case .scope(let tree):
            place.know(row, reader)
            return tree.covers(path: place.path)
        case .general(let node):
            var path: [UInt8]?
            if attributes.followFromPlace {
                place.know(row, reader)
                path = place.path
            }
            let values = ItemValues(row: row, reader: reader, environment: environment, path: path)
            return try node.evaluate(on: values)
        }
    }

    func accountHolds(_ node: PredicateNode, isGroup: Bool, _ number: UInt32) -> Bool {
        let name = isGroup ? environment.accounts.group(number) : environment.accounts.user(number)
        let item = OneValue(
            attribute: isGroup ? .group : .owner, value: .string(String(decoding: name, as: UTF8.self)))
        return (try? node.evaluate(on: item)) ?? false
    }
}

extension FileStatus {
    /// The value of it in a column of the index; nil for an unknown time of birth. An unsigned number is the integer with the same
    /// bits.
    func number(_ column: IntegerColumn) -> Int64? {
        switch column {
        case .size: size
        case .created: created?.nanoseconds
        case .modified: modified.nanoseconds
        case .changed: changed.nanoseconds
        case .inode: Int64(bitPattern: inode)
        case .links: Int64(links)
        case .owner: Int64(owner)
        case .group: Int64(group)
        case .mode: Int64(mode)
        case .device: Int64(bitPattern: device)
        }
    }
}

extension IntegerComparison {
    /// Whether two numbers of a column compare so. Those of an unsigned column are the integers with the same bits.
    func holds(_ value: Int64, _ constant: Int64, in column: IntegerColumn) -> Bool {
        column.isUnsigned ? holds(UInt64(bitPattern: value), UInt64(bitPattern: constant)) : holds(value, constant)
    }

    func holds<Number: FixedWidthInteger>(_ value: Number, _ constant: Number) -> Bool {
        switch self {
        case .equal: value == constant
        case .notEqual: value != constant
        case .less: value < constant
        case .lessOrEqual: value <= constant
        case .greater: value > constant
        case .greaterOrEqual: value >= constant
        }
    }
}
