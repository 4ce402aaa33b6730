// The last change of a key.
// SPDX-License-Identifier: Apache-2.0

internal import SaveFiles

/// The last change of a key: a value, or the removal of the key.
///
/// Entries of a key are totally ordered, so that every order of merging ends alike: by stamp, then by the bytes of the value.
/// A clone of a machine may give one stamp to two values.
struct KeyValueEntry: Sendable {
    let key: String
    let stamp: KeyValueStamp
    /// The value; nil if the key was removed.
    let value: KeyValue?
    /// The value as ``KeyValueText`` writes it; empty if the key was removed.
    let text: [UInt8]
    /// ``KeyValue/byteCount`` of the value; 0 if the key was removed.
    let byteCount: Int

    init(key: String, stamp: KeyValueStamp, value: KeyValue?) {
        self.init(key: key, stamp: stamp, value: value, text: value.map(KeyValueText.bytes) ?? [])
    }

    /// Makes an entry whose text is known.
    init(key: String, stamp: KeyValueStamp, value: KeyValue?, text: [UInt8]) {
        self.key = key
        self.stamp = stamp
        self.value = value
        self.text = text
        byteCount = value?.byteCount ?? 0
    }

    /// Whether the key was removed.
    var isTombstone: Bool { value == nil }

    /// Returns whether this entry wins over another one of its key.
    func beats(_ other: KeyValueEntry) -> Bool {
        if stamp != other.stamp { return other.stamp < stamp }
        if text != other.text { return other.text.lexicographicallyPrecedes(text) }
        // Swift takes canonically equivalent keys for one.
        return other.key.utf8.lexicographicallyPrecedes(key.utf8)
    }

    /// Returns whether another entry of its key says at least as much.
    func isCovered(by other: KeyValueEntry?) -> Bool { other.map { !beats($0) } ?? false }
}
