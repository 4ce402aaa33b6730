// The settings of a document.
// SPDX-License-Identifier: Apache-2.0

public import GatherKit

/// The settings of a document.
public struct DocumentOptions: Sendable, Hashable {
    /// The time from the first unsaved change to the save, and between two attempts to save after an error.
    public var autosaveInterval: Duration
    /// The longest wait for the lock of the folder.
    public var lockTimeout: Duration
    /// The longest wait for an answer of the daemon. Without one, a document opens and saves as it does without a daemon.
    public var daemonTimeout: Duration
    /// Whether changes from outside are followed with a live query of the daemon.
    public var followsChanges: Bool
    /// The daemon, and the helper that downloads evicted files.
    public var daemon: Daemon
    /// The longest wait for more bytes of an evicted file.
    public var downloadTimeout: Duration
    /// Whether a new file gets the group of its folder, and write permission for the users who may write there.
    public var sharesAccessOfFolder: Bool
    /// Whether a new file is refused whose name differs only by case from another one in its folder. Other systems keep one of the two
    /// only. The folder is read for that.
    public var checksCase: Bool
    /// The device that is kept as the author of each save; nil for this one (``DeviceIdentifier/current()``).
    public var device: DeviceIdentifier?

    /// Returns the author of a save.
    func author() throws(DocumentError) -> DeviceIdentifier {
        if let device { return device }
        return try DeviceIdentifier.current()
    }

    /// Makes settings.
    public init(
        autosaveInterval: Duration = .seconds(10), lockTimeout: Duration = .seconds(30),
        daemonTimeout: Duration = .seconds(2), followsChanges: Bool = true,
        daemon: Daemon = .automatic,
        downloadTimeout: Duration = .seconds(20), sharesAccessOfFolder: Bool = true,
        checksCase: Bool = true,
        device: DeviceIdentifier? = nil
    ) {
        self.autosaveInterval = autosaveInterval
        self.lockTimeout = lockTimeout
        self.daemonTimeout = daemonTimeout
        self.followsChanges = followsChanges
        self.daemon = daemon
        self.downloadTimeout = downloadTimeout
        self.sharesAccessOfFolder = sharesAccessOfFolder
        self.checksCase = checksCase
        self.device = device
    }
}
