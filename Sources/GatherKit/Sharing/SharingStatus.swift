// The state of sharing.
// SPDX-License-Identifier: Apache-2.0

internal import GatherProtocol

/// The state of sharing: the devices, and how far each shared folder is.
public struct SharingStatus: Sendable, Hashable {
    /// Whether the helper runs and Syncthing answers it.
    public let isRunning: Bool
    /// The reason for which it does not.
    public let reason: String?
    /// The version of Syncthing.
    public let version: String?
    /// This device, the devices that are known, and those that ask to connect.
    public let devices: [SharingDevice]
    /// The folders of shared containers.
    public let folders: [SharedFolder]
    /// The folders that other devices offer.
    public let offers: [SharingOffer]
    /// How many differences between Syncthing, the helper and gatherd the helper has found and set right since it started.
    public let corrections: Int

    /// This device; nil while Syncthing does not answer.
    public var thisDevice: SharingDevice? { devices.first(where: \.isHere) }

    /// Returns the folders of a container.
    public func folders(of container: ContainerIdentifier) -> [SharedFolder] {
        folders.filter { $0.container == container }
    }

    /// Returns the devices that a container is shared with, in the order of ``devices``.
    public func devices(of container: ContainerIdentifier) -> [SharingDevice] {
        let shares = Set(folders(of: container).flatMap { $0.shares.map(\.device) })
        return devices.filter { shares.contains($0.identifier) && !$0.isHere }
    }

    init(_ reply: SharingInterface.Status.Reply) {
        isRunning = reply.running
        reason = reply.reason
        version = reply.version
        devices = reply.devices.map { SharingDevice($0) }
        folders = reply.folders.map { SharedFolder($0) }
        offers = reply.offers.map { SharingOffer($0) }
        corrections = Int(clamping: reply.corrections ?? 0)
    }

    /// Makes a state from its parts.
    package init(
        isRunning: Bool = true, reason: String? = nil, version: String? = nil, devices: [SharingDevice] = [],
        folders: [SharedFolder] = [], offers: [SharingOffer] = [], corrections: Int = 0
    ) {
        self.isRunning = isRunning
        self.reason = reason
        self.version = version
        self.devices = devices
        self.folders = folders
        self.offers = offers
        self.corrections = corrections
    }

    /// Makes the state while the helper cannot be reached.
    package init(unreachable reason: String) {
        self.init(isRunning: false, reason: reason)
    }
}
