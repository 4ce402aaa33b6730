// Errors of a key-value store.
// SPDX-License-Identifier: Apache-2.0

/// A failure of a ``KeyValueStore``. Cases may be added.
public enum KeyValueStoreError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The key has more than ``KeyValueLimits/longestKey`` bytes.
    case keyTooLong(key: String)
    /// The store has ``KeyValueLimits/mostKeys`` keys or more, and this would be a new one.
    case tooManyKeys(key: String)
    /// All values together would exceed ``KeyValueLimits/largestContents`` by this number of bytes.
    case tooManyBytes(key: String, excess: Int)
    /// The value has more than ``KeyValueLimits/deepestNesting`` arrays or dictionaries in one another.
    case nestedTooDeeply(key: String)
    /// The value has a double that is infinite or no number.
    case notFinite(key: String)
    /// A device has set the key with the latest possible time, so no change can follow.
    case clockExhausted(key: String)
    /// The store was closed.
    case closed
    /// This device has no identifier.
    case unidentifiedDevice(DeviceIdentifierError)
    /// A text is not the ``DeviceIdentifier/text`` of another device.
    case notAnotherDevice(String)
    /// A file of the device cannot be read, so the device is not folded in.
    case unreadable(KeyValueProblem)
    /// The store's directory or a file in it cannot be read, made or written. `errno` is the error number.
    case system(operation: String, path: String, errno: Int32, message: String)
    /// The store's contents would make a larger file than stores read.
    case fileTooLarge(bytes: Int)

    /// Whether the error is that of a limit, so that a quota notification is sent, too.
    public var isQuotaViolation: Bool {
        switch self {
        case .keyTooLong, .tooManyKeys, .tooManyBytes, .nestedTooDeeply: true
        default: false
        }
    }

    /// A sentence for a person, without a full stop.
    public var description: String {
        switch self {
        case .keyTooLong(let key):
            "the key '\(key.prefix(KeyValueLimits.longestKey))' has \(key.utf8.count) bytes; the limit is "
                + "\(KeyValueLimits.longestKey) bytes"
        case .tooManyKeys(let key):
            "the key '\(key)' cannot be added: the store has \(KeyValueLimits.mostKeys) keys or more; remove a key first"
        case .tooManyBytes(let key, let excess):
            "the value of '\(key)' is too large: all values would have \(excess) bytes more than the limit of "
                + "\(KeyValueLimits.largestContents) bytes; remove a value first"
        case .nestedTooDeeply(let key):
            "the value of '\(key)' has more than \(KeyValueLimits.deepestNesting) arrays or dictionaries in one another"
        case .notFinite(let key): "the value of '\(key)' has a number that is not finite"
        case .clockExhausted(let key):
            "the key '\(key)' cannot be changed: a device set it with the latest possible time"
        case .closed: "the store was closed"
        case .unidentifiedDevice(let error): error.description
        case .notAnotherDevice(let text): "'\(text)' is not the identifier of another device"
        case .unreadable(let problem): "the device cannot be folded in: \(problem)"
        case .system(let operation, let path, _, let message): "cannot \(operation) \(path): \(message)"
        case .fileTooLarge(let bytes):
            "the store's file would have \(bytes) bytes; the limit is \(KeyValueLimits.largestFile) bytes"
        }
    }
}
