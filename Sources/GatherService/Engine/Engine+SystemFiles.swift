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
        if let source = question.source { paths += zones.paths(of: source.timeZone) }
        if question.dependsOnAccounts { paths += names.files }
        guard !paths.isEmpty else { return }
        watchDirectories(of: paths)
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
        if !names.areCurrent { forgetNames() }
    }

    /// Reads the predicates of live queries anew whose zone has other rules now, off the loop: there may be thousands.
    private func followZones(of subscriptions: [Subscription]) {
        let (types, zones) = (types, zones)
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
        watchDirectories(of: present.keys.flatMap { zones.paths(of: $0) })
        let questions = stale.map(\.question)
        workload.longPool.runIfActive(eventLoop: loop) { [servesOthers] in
            if servesOthers { Threads.giveWayToAll() }
            return questions.map { $0.readAnew(types: types, zones: zones) }
        }.assumeIsolated().whenSuccess { read in
            for record in self.containers where !self.isHeld(record) { self.absorb(record) }
            for (subscription, question) in zip(stale, read) {
                // The zone may be gone. The query keeps the rules that it had.
                if let question { subscription.zoneChanged(question) }
            }
            for record in self.containers { self.runErrands(of: record) }
            self.turn()
        }
    }

    /// The clock at which the rules of a time zone were other ones for sure; nil if they were always those of now. Called when a
    /// question was read, so that its zone is that of now.
    func lastChangeOfZones() -> UInt64? {
        if zones.changes != zoneChangesSeen { (zoneChangesSeen, zonesChanged) = (zones.changes, commits.sequence) }
        return zonesChanged
    }

    /// Watches the directories of files, and of the files to which their links lead.
    private func watchDirectories(of paths: [String]) {
        if fileWatch == nil, !hasTriedFileWatch {
            hasTriedFileWatch = true
            do {
                fileWatch = try DirectoryWatch { [mailbox] in mailbox.post(.systemFilesChanged) }
            } catch {
                logger.warning(
                    "cannot watch the files of accounts and time zones: \(error); live queries follow them from the next such question on",
                    metadata: ["error": "\(error)"])
            }
        }
        guard let fileWatch else { return }
        for path in Set(paths + paths.compactMap(MountPaths.resolve)) {
            guard let slash = path.lastIndex(of: "/") else { continue }
            // A file that is nowhere cannot change. A directory that cannot be watched is looked at with each question.
            try? fileWatch.add(slash == path.startIndex ? "/" : String(path[..<slash]))
        }
    }
}
