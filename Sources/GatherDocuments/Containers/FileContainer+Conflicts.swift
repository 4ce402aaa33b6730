// The request that fresh conflict versions are claimed.
// SPDX-License-Identifier: Apache-2.0

internal import LinuxSystem

extension FileContainer {
    /// Asks the devices that share the container to claim fresh conflict versions: to rename each at once to a name that follows
    /// from its contents. Syncthing makes no conflict version of a conflict version, so without this, versions can be lost where
    /// three devices change one file. The request is the folder `.gather-sync/claim-conflicts`, which all devices get. Blocks the
    /// thread.
    public func claimConflictVersions() throws(DocumentError) {
        _ = try folder([".gather-sync", "claim-conflicts"])
    }

    /// Whether Syncthing shares the container, as its marker tells.
    public var isShared: Bool { (try? EntryStatus(of: data + "/.stfolder", in: Entry.workingDirectory)) != nil }
}
