// Files of the system beside the containers that answers depend on: accounts and time zones.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import LiveQueries
import Logging
import Metadata
import NIOCore
import NIOPosix
import PredicateLanguage

extension Engine {
    /// Has a live query follow the files that its answer depends on. Without such files nothing is watched.
    func followSystemFiles(for subscription: Subscription) {
        let question = subscription.question
        var paths: [String] = []
        if let source = question.source { paths += system.zones.paths(of: source.timeZone) }
        if question.dependsOnAccounts { paths += system.names.files }
        guard !paths.isEmpty else { return }
        system.watch(paths)
        // They may have changed before they were watched.
        followAccounts()
        followZones(of: [subscription])
    }

    /// A file may have changed that live queries depend on.
    func systemFilesChanged() {
        followAccounts()
        followZones(of: Array(subscriptions.all))
    }

    /// Forgets the names of accounts if their files have changed since. Complexity: two calls of stat(2).
    func followAccounts() {
        if !system.names.areCurrent { forgetNames() }
    }

    /// Reads the predicates of live queries anew whose zone has other rules now, off the loop: there may be thousands.
    private func followZones(of subscriptions: [Subscription]) {
        let (types, zones) = (system.types, system.zones)
        // Most have the same zone, which is looked up once.
        var present: [String?: LocalZone?] = [:]
        let stale = subscriptions.filter { subscription in
            guard let source = subscription.question.source else { return false }
            let zone = present[source.timeZone] ?? zones.zone(source.timeZone)
            present[source.timeZone] = .some(zone)
            return zone.map { $0 != subscription.question.predicate.zone } ?? false
        }
        guard !stale.isEmpty else { return }
        // A link may lead to another directory now.
        system.watch(present.keys.flatMap { system.zones.paths(of: $0) })
        let questions = stale.map(\.question)
        scans.runLong {
            questions.map { $0.readAnew(types: types, zones: zones) }
        } then: { result in
            guard case .success(let read) = result else { return }
            for record in self.containers where !self.isHeld(record) { self.absorb(record) }
            for (subscription, question) in zip(stale, read) {
                // The zone may be gone. The query keeps the rules that it had.
                if let question { subscription.zoneChanged(question) }
            }
            for record in self.containers { self.runErrands(of: record) }
            self.turn()
        }
    }
}
