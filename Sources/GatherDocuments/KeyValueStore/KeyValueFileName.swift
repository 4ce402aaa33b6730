// The names of a store's files.
// SPDX-License-Identifier: Apache-2.0

internal import Metadata

/// The name of a store's file: `DEVICE-SLOT.keyvalues`, such as `ABCDEFG-0.keyvalues`.
///
/// A device writes only files with its own name in them. Its processes use slots: each takes the first one that no other process
/// has locked, and goes on from the contents. So there are as many files as processes that ever wrote at the same time.
struct KeyValueFileName: Sendable, Hashable {
    let device: String
    let slot: Int

    static let suffix = ".keyvalues"

    init(device: String, slot: Int) {
        self.device = device
        self.slot = slot
    }

    /// Takes a name apart; nil if it does not have the form.
    init?(_ name: String) {
        let bytes = Array(name.utf8)
        let device = bytes.prefix(ConflictName.deviceLength)
        guard name.hasSuffix(KeyValueFileName.suffix), bytes.count > device.count,
            bytes[device.count] == UInt8(ascii: "-"), let text = String(validating: device, as: UTF8.self),
            ConflictName.isDevice(text)
        else { return nil }
        let digits = bytes.dropFirst(device.count + 1).dropLast(KeyValueFileName.suffix.utf8.count)
        guard let slot = Int(String(decoding: digits, as: UTF8.self)), 0..<KeyValueLimits.mostSlots ~= slot else {
            return nil
        }
        self.init(device: text, slot: slot)
        // No sign, and no leading zero: one name for each slot.
        guard self.text == name else { return nil }
    }

    /// The name.
    var text: String { "\(device)-\(slot)\(KeyValueFileName.suffix)" }

    /// The name under which the next contents are written, before they replace the file.
    var temporary: String { String(decoding: SaveName.partial.of(Array(text.utf8)), as: UTF8.self) }

    /// Returns whether a text can be the device of a stamp.
    static func isDevice(_ text: String) -> Bool { ConflictName.isDevice(text) }

    /// Returns whether a name is that of a store's file, or of a conflict version of one.
    static func isOfStore(_ name: String) -> Bool { KeyValueFileName(name) ?? original(ofConflict: name) != nil }

    /// Returns the name of the file whose conflict version this name is; nil if it is none.
    static func original(ofConflict name: String) -> KeyValueFileName? {
        ConflictName(name).flatMap { KeyValueFileName(String(decoding: $0.original, as: UTF8.self)) }
    }
}
