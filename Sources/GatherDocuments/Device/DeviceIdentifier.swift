// The identifier of this device, and its text in an extended attribute.
// SPDX-License-Identifier: Apache-2.0

internal import Metadata

/// The identifier of a device: a machine and its user.
///
/// Files that several devices write carry it: conflict versions in their names, and the files of a key-value store. Its form is
/// that of the devices in Syncthing's conflict names, but the values are Gather's own.
///
/// ``current()`` keeps the identifier in `$XDG_STATE_HOME/gather/device`, by default `~/.local/state/gather/device`. The
/// file binds it to `/etc/machine-id`. A clone of a machine with its own `machine-id` therefore gets another identifier, and
/// machines that share a home directory have one each. All processes of a user on a machine get the same one.
public struct DeviceIdentifier: Sendable, Hashable, CustomStringConvertible {
    /// Seven characters of base32 (RFC 4648), as `ConflictName.isDevice(_:)` tests them.
    public let text: String
    /// The name of the machine for a person, its host name. It is no part of the identity, so it does not count in comparisons.
    public let name: String

    /// The longest ``name``, in bytes: `HOST_NAME_MAX` of Linux.
    public static let longestName = 64
    /// The extended attribute of a file that names the device that wrote it. Its value is ``attributeValue``.
    public static let attributeName = "user.gather.device"
    /// The name of a device whose own name is unknown.
    static let unnamed = "unnamed"

    /// Makes an identifier from its parts.
    ///
    /// - Returns: Nil if the text is not seven characters of base32. Also nil if the name is empty, is longer than
    ///   ``longestName``, or has a control character.
    public init?(text: String, name: String) {
        guard ConflictName.isDevice(text), DeviceIdentifier.isName(name) else { return nil }
        self.text = text
        self.name = name
    }

    /// Takes the bytes of a ``attributeName`` apart.
    ///
    /// - Returns: Nil if the bytes do not have the form `IDENTIFIER NAME`, or are not UTF-8.
    public init?(attributeValue bytes: some Collection<UInt8>) {
        // The length comes first, since an attribute may have 64 KiB.
        guard bytes.count <= ConflictName.deviceLength + 1 + DeviceIdentifier.longestName,
            let value = String(validating: bytes, as: UTF8.self)
        else { return nil }
        let parts = value.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        self.init(text: String(parts[0]), name: String(parts[1]))
    }

    /// The value of the extended attribute ``attributeName``: identifier, blank and name, such as `ABCDEFG kitchen`.
    public var attributeValue: [UInt8] { Array(description.utf8) }

    /// The identifier and the name, such as `ABCDEFG kitchen`.
    public var description: String { text + " " + name }

    /// Returns whether both have the same ``text``.
    public static func == (a: DeviceIdentifier, b: DeviceIdentifier) -> Bool { a.text == b.text }

    /// Hashes the ``text``.
    public func hash(into hasher: inout Hasher) { hasher.combine(text) }

    private static func isName(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.count <= longestName
            && name.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
    }

    /// Returns the identifier that a hash stands for: its lowest 35 bits in base32.
    static func text(ofHash hash: UInt64) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)
        let digits = (0..<ConflictName.deviceLength).map { alphabet[Int(hash >> (5 * UInt64($0)) & 31)] }
        return String(decoding: digits, as: UTF8.self)
    }
}
