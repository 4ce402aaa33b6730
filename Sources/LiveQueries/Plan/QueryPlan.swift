// How one query is answered from the index of one container.
// SPDX-License-Identifier: Apache-2.0

package import Metadata
package import MetadataIndex
package import PredicateLanguage

/// How one query is answered from the index of one container. Made once for each query and container; good for scans on
/// any thread and for testing single items.
package struct QueryPlan: Sendable {
    /// The container and the moment it was made for.
    package private(set) var environment: PlanEnvironment
    /// Whether it stands for a plan that is not made yet, and matches nothing.
    package let isProvisional: Bool
    /// The attributes that the predicate reads.
    package let attributes: AttributeSet

    /// The scope, the predicate and what the viewer sees in one.
    private(set) var root: PlanNode
    /// The same for one who sees everything.
    private var tests: PlanNode
    let scope: ScopeTree
    /// As they were given.
    private let scopes: [QueryScope]
    private(set) var demand: PlanDemand
    /// How its answer follows the clock (`now()`, `$time…`); nil where it does not. It is good for the moment of its
    /// environment, and ``at(_:)`` makes one for another.
    let clock: ClockDependence?
    /// What holds for an item at some moment, and what holds at every one, whoever sees it: between the two the clock decides.
    private(set) var upper = PlanNode.constant(true)
    private(set) var lower = PlanNode.constant(false)

    /// Plans a predicate that was read in metadata mode. `scopes` are the parts of the container that it looks at,
    /// together: an item that lies in two of them counts once. None of them is none of the container.
    package init(_ predicate: Predicate, scopes: [QueryScope] = [.whole], environment: PlanEnvironment) {
        self.environment = environment
        isProvisional = false
        attributes = AttributeSet(predicate.attributes)
        clock = ClockDependence(predicate)
        scope = ScopeTree(scopes)
        self.scopes = scopes
        tests = QueryPlan.tests(predicate, scope, scopes, environment)
        root = QueryPlan.root(tests, for: environment.viewer)
        demand = PlanDemand(root, root: environment.rootPath)
        if clock != nil { (upper, lower) = (tests.bound(upper: true), tests.bound(upper: false)) }
    }

    /// What a live query has in the place of a plan that is being made: it matches nothing, and costs nothing.
    package init(provisionalIn environment: PlanEnvironment) {
        self.environment = environment
        isProvisional = true
        attributes = AttributeSet()
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
        // What lies outside or inside a package is no item of this query: these come before anything that can fail, or that
        // takes long.
        var parts = [compiled]
        if QueryPlan.hidesPackages(predicate, environment) {
            let openings = PackageOpenings(scopes, compiled, root: environment.rootPath)
            parts.insert(.not(.test(.insidePackage(openings))), at: 0)
        }
        if !scope.isWhole { parts.insert(scope.isEmpty ? .constant(false) : .test(.scope(scope)), at: 0) }
        return .all(parts)
    }

    /// What the viewer does not see is no item either, and is asked that before everything else.
    private static func root(_ tests: PlanNode, for viewer: Viewer?) -> PlanNode {
        guard let viewer else { return tests }
        return .all([viewer.seesAnything ? .test(.seen(viewer)) : .constant(false), tests])
    }

    /// The same plan for a viewer, whoever it was made for. Nothing is compiled anew.
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

    /// The same plan for another container, at the same moment and for the same content types; nil where it is compiled
    /// otherwise there. A daemon may have a thousand containers, and most predicates ask all of them the same.
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

    /// What is known of when a predicate is compiled: an answer for all items, one row, the beginning of a path.
    private static let ofContainer: [Attribute] = [.container, .id, .parent, .path]

    /// The same plan by other names of accounts: they are asked for when an item is tested. Nothing is compiled anew.
    package func naming(by accounts: any AccountNaming) -> QueryPlan {
        var plan = self
        plan.environment.accounts = accounts
        return plan
    }

    /// What is asked of the items that the viewer sees, and of no others.
    func ofSeen(_ node: PlanNode) -> PlanNode { QueryPlan.root(node, for: environment.viewer) }

    /// Whether what lies inside a package is no item of a query, but where that looks inside.
    private static func hidesPackages(_ predicate: Predicate, _ environment: PlanEnvironment) -> Bool {
        environment.hasPackages && !predicate.attributes.contains(.inPackage)
    }

    /// Whether the predicate's answer follows the clock.
    package var followsClock: Bool { clock != nil }

    /// Whether it is known when its answer changes with the clock; else it has to be asked again now and then.
    package var knowsItsMoments: Bool { clock?.isOpaque == false }

    /// Whether the plan for another moment is this one, but for the moment. What is compared with `$time.now(n)` goes by that
    /// as it is, and of units it is another only when they are over.
    package func isCompiled(for now: Timestamp) -> Bool { clock?.isAlike(environment.now, now) ?? true }

    /// The same plan for another moment, compiled anew where ``isCompiled(for:)`` says no.
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

    /// When the clock changes the answer for an item next; nil where it does not.
    func nextMoment(of row: Row, in snapshot: IndexSnapshot, _ place: inout ItemPlace) -> Int64? {
        guard let clock, !clock.ages.isEmpty,
            environment.viewer.map({ $0.sees(row, in: snapshot) }) ?? true,
            let moment = clock.nextMoment(of: environment.status(of: row, in: snapshot), after: environment.now),
            (try? holds(upper, row, snapshot, &place)) ?? true,
            (try? !holds(lower, row, snapshot, &place)) ?? true
        else { return nil }
        return moment
    }

    /// Whether it reads what follows from the place of an item (path, depth, scope), so that a directory that moves may
    /// change its answer for everything below.
    package var isPlaceSensitive: Bool { attributes.followFromPlace || !scope.isWhole }

    /// What of the directories above an item the answer for it depends on, whatever the subscriber asks for.
    var causes: SubtreeChange.Causes {
        var causes: SubtreeChange.Causes = []
        if matchesNothing { return causes }
        if isPlaceSensitive { causes.insert(.place) }
        if environment.viewer != nil { causes.insert(.access) }
        if environment.hasPackages || attributes.contains(.inPackage) { causes.insert(.package) }
        return causes
    }

    /// Whether the predicate reads what the index has only once it was asked for: extended attributes, and where links lead.
    package var readsExtras: Bool { attributes.containsExtras }

    /// Whether the predicate reads the names of users or groups, which may have to be asked for.
    package var readsAccounts: Bool { attributes.contains(.owner) || attributes.contains(.group) }

    /// Whether another plan of the same question goes by other names of accounts, for whoever reads them or is told them.
    func hasOtherAccounts(_ other: QueryPlan, for told: AttributeSet) -> Bool {
        environment.accounts !== other.environment.accounts
            && (readsAccounts || told.contains(.owner) || told.contains(.group))
    }

    /// Whether to work by it, or to go on with another plan, may take asking for names of accounts.
    func asksForAccounts(before next: QueryPlan?, for told: AttributeSet) -> Bool {
        readsAccounts || next.map { $0.readsAccounts || hasOtherAccounts($0, for: told) } ?? false
    }

    /// Whether testing one item may take so long that even few of them are too much for an event loop: a regular
    /// expression may take all the steps that it is allowed.
    package var isCostly: Bool { root.cost >= PlanTest.costOfMatching }

    /// Whether it is known without looking that nothing matches.
    package var matchesNothing: Bool {
        if case .constant(false) = root.kind { true } else { false }
    }

    /// Whether it matches whatever lies in the container, without looking.
    package var matchesEverything: Bool {
        if case .constant(true) = root.kind { true } else { false }
    }
}

// MARK: One item

extension QueryPlan {
    /// Whether an item matches. The root does not: it is no item.
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
            return comparison.holds(value, constant)
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
        case .extras(let test): return try test.holds(environment.extras(of: row, in: reader))
        case .contentType(let types):
            let kind = reader.kind(of: row)
            return reader.withName(of: row) { types.contains(kind, $0) }
        case .insidePackage(let openings): return openings.hide(row, in: reader, &place)
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
    /// The value that a column of the index holds of it; nil for a time of birth that is not known.
    func number(_ column: IntegerColumn) -> Int64? {
        switch column {
        case .size: size
        case .created: created?.nanoseconds
        case .modified: modified.nanoseconds
        case .changed: changed.nanoseconds
        case .inode: Int64(clamping: inode)
        case .links: Int64(links)
        case .owner: Int64(owner)
        case .group: Int64(group)
        case .mode: Int64(mode)
        case .device: Int64(clamping: device)
        }
    }
}

extension IntegerComparison {
    func holds(_ value: Int64, _ constant: Int64) -> Bool {
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
