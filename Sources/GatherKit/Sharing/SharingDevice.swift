// A device that shares containers.
// SPDX-License-Identifier: Apache-2.0

internal import GatherProtocol

/// A device that shares containers with this one, or this device itself.
public struct SharingDevice: Sendable, Hashable, Identifiable {
    /// The identifier: 56 characters in eight groups with hyphens between.
    public let identifier: String
    /// The name that a person gave it; empty if it has none.
    public let name: String
    /// Whether it is this device.
    public let isHere: Bool
    /// Whether it is connected now.
    public let isConnected: Bool
    /// Whether a person has paused it.
    public let isPaused: Bool
    /// Whether it wants to connect and is not known here yet.
    public let asksToConnect: Bool
    /// The address of the connection, or the last one.
    public let address: String?
    /// The version of its Syncthing.
    public let version: String?
    /// The time at which it was last connected; nil if it never was.
    public let lastSeen: Timestamp?
    /// The rate of bytes that come from it, in bytes a second; nil if it is unknown.
    public let receivingRate: Int?
    /// The rate of bytes that go to it, in bytes a second; nil if it is unknown.
    public let sendingRate: Int?

    /// The identifier.
    public var id: String { identifier }

    /// The first group of the identifier, as people compare it.
    public var shortIdentifier: String { String(identifier.prefix { $0 != "-" }) }

    /// Makes a device from its parts.
    package init(
        identifier: String, name: String, isHere: Bool = false, isConnected: Bool = false, isPaused: Bool = false,
        asksToConnect: Bool = false, address: String? = nil, version: String? = nil, lastSeen: Timestamp? = nil,
        receivingRate: Int? = nil, sendingRate: Int? = nil
    ) {
        self.identifier = identifier
        self.name = name
        self.isHere = isHere
        self.isConnected = isConnected
        self.isPaused = isPaused
        self.asksToConnect = asksToConnect
        self.address = address
        self.version = version
        self.lastSeen = lastSeen
        self.receivingRate = receivingRate
        self.sendingRate = sendingRate
    }

    init(_ device: SharedDevice) {
        identifier = device.identifier
        name = device.name
        isHere = device.here
        isConnected = device.connected
        isPaused = device.paused ?? false
        asksToConnect = device.asks ?? false
        address = device.address
        version = device.version
        lastSeen = device.lastSeen.flatMap { Timestamp(rfc3339: $0) }
        receivingRate = device.receiving.map { Int(clamping: $0) }
        sendingRate = device.sending.map { Int(clamping: $0) }
    }
}
