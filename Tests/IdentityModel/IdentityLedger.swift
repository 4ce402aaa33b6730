// Every identifier that was ever given, and to which entry: none changes, none is given twice.
// SPDX-License-Identifier: Apache-2.0

/// Holds the identifiers that are seen at quiet moments to what the model says.
package struct IdentityLedger {
    private var identifiers: [Int: String] = [:]
    /// Those of the last quiet moment.
    private var alive: Set<String> = []
    private var paths: [String: Bytes] = [:]
    private var ended: Set<String> = []
    /// Those of which nothing is known.
    private var lost: Set<String> = []

    package init() {}

    /// One quiet moment: all items by their paths, and their known identities. `hidden` are tokens of what is there and not
    /// seen; `ends` says whether all that is there no more has ended. Returns what is wrong.
    package mutating func check(
        _ seen: [Bytes: String], _ observations: [Model.Observation], hidden: [Int] = [], ends: Bool = true
    ) -> [String] {
        var violations: [String] = []
        var known: [Int: String] = [:]
        for token in hidden { known[token] = identifiers[token] }
        let away = Set(known.values)
        for observation in observations {
            // That it is missing is found elsewhere.
            guard let id = seen[observation.path] else { continue }
            known[observation.token] = id
            guard observation.rule == .exact else { continue }
            if let former = identifiers[observation.token] {
                if id != former { violations.append("\(observation.path.shown): was \(former), is \(id)") }
            } else if alive.contains(id) || lost.contains(id) {
                violations.append(
                    "\(observation.path.shown): is new, but has the identifier \(id) of \(paths[id]?.shown ?? "another")"
                )
            }
        }
        for (path, id) in seen where ended.contains(id) {
            violations.append("\(path.shown): has \(id), which had ended")
        }
        let now = Set(seen.values)
        if now.count != seen.count { violations.append("two items have one identifier") }
        let gone = alive.subtracting(now).subtracting(away)
        if ends { ended.formUnion(gone) } else { lost.formUnion(gone) }
        lost.subtract(now)
        alive = now.union(away)
        paths.merge(seen.map { ($1, $0) }) { $1 }
        identifiers = known
        return violations
    }

    /// A daemon that keeps no identities has been started anew: all that were given have ended.
    package mutating func forgetAll() {
        ended.formUnion(alive)
        alive = []
        identifiers = [:]
    }
}
