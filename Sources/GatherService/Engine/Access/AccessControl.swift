// The view of each caller: callers of the system's daemon see the items that the kernel would let them list and stat.
// SPDX-License-Identifier: Apache-2.0

import FileWatching
import LiveQueries
import Metadata
import MetadataIndex
import Varlink

/// Tells the access to containers' directories, and to those above them.
protocol AccessSource {
    /// Returns the access of the directories above a container's; nil if it is not known.
    func directoriesAbove(_ number: UInt32) -> [FileAccess]?
    /// Returns the state of a container; nil if there is none.
    func state(of number: UInt32) -> WatchState?
}

extension TreeWatcher: AccessSource {}

/// Decides which containers and items a caller sees. A caller without a restriction sees all, and is nil here.
struct AccessControl {
    /// Whether callers see only what the kernel would let them list: the system's daemon.
    let tellsCallersApart: Bool
    private let source: any AccessSource
    /// The user of the helper that tells the states of shared containers; nil if there is none. It sees every item, since it has to
    /// receive each change.
    private var syncUser: UInt32?

    init(tellsCallersApart: Bool, source: any AccessSource) {
        (self.tellsCallersApart, self.source) = (tellsCallersApart, source)
    }

    mutating func setSyncUser(_ user: UInt32?) { syncUser = user }

    /// Returns the caller, where that makes a difference; nil for one that sees everything.
    func restriction(of peer: PeerCredentials) -> Credentials? {
        tellsCallersApart && !mayReportStates(peer) ? peer.credentials : nil
    }

    /// Whether a caller may tell the states of shared containers: root, the daemon's own user, and that of the helper.
    func mayReportStates(_ peer: PeerCredentials) -> Bool {
        AccessPolicy.isOperator(peer) || peer.userID == syncUser
    }

    /// Returns a caller's view of a container as it is known now; nil for one that sees everything.
    func viewer(_ caller: Credentials?, of record: ContainerRecord) -> Viewer? {
        guard let caller else { return nil }
        // Items known from before a restart, or from before the directory was away, may be closed by now.
        if !record.access.isVerified, case .verifying? = source.state(of: record.number) {
            return Viewer(seeingNothing: caller)
        }
        return guest(caller, of: record)
    }

    /// Returns a caller's view of a container's own directory.
    private func guest(_ caller: Credentials, of record: ContainerRecord) -> Viewer {
        Viewer(caller, above: source.directoriesAbove(record.number), root: record.index.access(of: .root))
    }

    /// Whether a container is there for a caller: one that may not list its directory is answered as if there were none.
    func isListed(_ record: ContainerRecord, for caller: Credentials?) -> Bool {
        caller.map { guest($0, of: record).readsRoot } ?? true
    }

    /// Whether there may be items in a container that a caller sees. A directory that can be searched and not listed may
    /// hold some that can be listed.
    func isOpen(_ record: ContainerRecord, for caller: Credentials?) -> Bool {
        guard let caller else { return true }
        let guest = guest(caller, of: record)
        return guest.readsRoot || guest.searchesRoot
    }

    /// Returns the identifiers of those containers that are there for a caller: one that may be searched and not listed has items
    /// for it, and no name.
    func names(of records: some Sequence<ContainerRecord>, for caller: Credentials?) -> [String] {
        records.filter { isListed($0, for: caller) }.map(\.identifier)
    }

    /// Returns the access to a container as it is saved; empty if callers are not told apart.
    func ancestorAccess(of record: ContainerRecord) -> [UInt8] {
        guard tellsCallersApart else { return [] }
        return record.access.formerAncestorAccess
            ?? SavedAncestorAccess.bytes(
                above: source.directoriesAbove(record.number), root: record.index.access(of: .root))
    }
}
