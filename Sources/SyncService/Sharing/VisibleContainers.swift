// The containers that a caller of the helper may know of.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import Varlink

/// The part of gatherd's containers that a caller of the helper may know of. gatherd decides it, as for its own callers.
struct VisibleContainers: Sendable {
    /// The containers that the caller may list.
    let containers: [ContainerDescription]
    /// Whether the caller may know each item of them, and not only those that it could list itself.
    let namesItems: Bool
    /// The containers that the caller must not hear of.
    private let hidden: [ContainerDescription]
    /// Whether it is known which containers are hidden.
    private let isKnown: Bool

    /// For a caller that may know everything.
    init(all containers: [ContainerDescription]?) {
        self.containers = containers ?? []
        (namesItems, hidden, isKnown) = (true, [], true)
    }

    /// For a caller that may list those with these identifiers. Without containers or identifiers it may know nothing.
    init(_ containers: [ContainerDescription]?, readable identifiers: [String]?) {
        let readable = Set(identifiers ?? [])
        self.containers = (containers ?? []).filter { readable.contains($0.identifier) }
        hidden = (containers ?? []).filter { !readable.contains($0.identifier) }
        namesItems = false
        isKnown = containers != nil && identifiers != nil
    }

    /// Asks gatherd which containers a caller may know of, each time, since modes can change. `caller` is nil for the helper itself.
    init(of core: SyncCore, for caller: PeerCredentials?) async {
        guard let caller, !SharingMethods.isOperator(caller) else {
            self.init(all: await core.containers)
            return
        }
        let request = ContainerInterface.ReadableBy.Request(
            user: Int64(caller.userID), group: Int64(caller.groupID), groups: caller.groups.map(Int64.init))
        let reply = try? await TimeLimit.run("gatherd's answer", SyncLimits.callTime) {
            try await core.gatherd.connect().call(ContainerInterface.ReadableBy.self, request)
        }
        self.init(await core.containers, readable: reply?.identifiers)
    }

    /// Whether the caller may know of a folder of Syncthing at this path. The innermost container around it decides.
    func shows(folderAt path: String) -> Bool {
        func depth(_ containers: [ContainerDescription]) -> Int? {
            containers.map { ResolvedPath.of($0.path) }.filter { ResolvedPath.below($0, path) != nil }.map(\.utf8.count)
                .max()
        }
        if namesItems { return true }
        guard isKnown, let shown = depth(containers) else { return false }
        return depth(hidden) ?? -1 < shown
    }

    /// Whether the caller may know that a device offers a folder, which may be called as a hidden container here.
    func shows(_ offer: FolderOffer) -> Bool {
        isKnown
            && !hidden.contains {
                [offer.container, FolderNames.container(of: offer.folder)].contains($0.identifier)
                    || [FolderNames.whole($0.identifier), FolderNames.documents($0.identifier)].contains(offer.folder)
            }
    }
}
