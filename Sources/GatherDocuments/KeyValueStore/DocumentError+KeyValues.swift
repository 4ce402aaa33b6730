// Errors of a key-value store.
// SPDX-License-Identifier: Apache-2.0

internal import LinuxSystem

extension DocumentError {
    /// Whether the error is that of a limit of a ``KeyValueStore``, so that a quota notification is sent, too.
    public var isQuotaViolation: Bool {
        [.keyTooLong, .tooManyKeys, .tooManyBytes, .nestedTooDeeply].contains(code)
    }

    /// The store was closed.
    static let closed = DocumentError(code: .closed, message: "the store was closed")

    static func keyTooLong(key: String) -> DocumentError {
        DocumentError(
            code: .keyTooLong,
            message: "the key '\(key.prefix(KeyValueLimits.longestKey))' has \(key.utf8.count) bytes; the limit is "
                + "\(KeyValueLimits.longestKey) bytes",
            key: key)
    }

    static func tooManyKeys(key: String) -> DocumentError {
        DocumentError(
            code: .tooManyKeys,
            message: "the key '\(key)' cannot be added: the store has \(KeyValueLimits.mostKeys) keys or more; "
                + "remove a key first",
            key: key)
    }

    /// - Parameter excess: The bytes beyond the limit.
    static func tooManyBytes(key: String, excess: Int) -> DocumentError {
        DocumentError(
            code: .tooManyBytes,
            message: "the value of '\(key)' is too large: all values would have \(excess) bytes more than the limit of "
                + "\(KeyValueLimits.largestContents) bytes; remove a value first",
            key: key)
    }

    static func nestedTooDeeply(key: String) -> DocumentError {
        DocumentError(
            code: .nestedTooDeeply,
            message: "the value of '\(key)' has more than \(KeyValueLimits.deepestNesting) arrays or dictionaries in "
                + "one another",
            key: key)
    }

    static func notFinite(key: String) -> DocumentError {
        DocumentError(code: .notFinite, message: "the value of '\(key)' has a number that is not finite", key: key)
    }

    static func clockExhausted(key: String) -> DocumentError {
        DocumentError(
            code: .clockExhausted,
            message: "the key '\(key)' cannot be changed: a device set it with the latest possible time", key: key)
    }

    static func notAnotherDevice(_ text: String) -> DocumentError {
        DocumentError(code: .notAnotherDevice, message: "'\(text)' is not the identifier of another device")
    }

    static func unreadable(_ problem: KeyValueProblem) -> DocumentError {
        DocumentError(
            code: .unreadable, message: "the device cannot be folded in: \(problem)", path: problem.path,
            errno: problem.errno)
    }

    static func fileTooLarge(bytes: Int) -> DocumentError {
        DocumentError(
            code: .tooLarge,
            message: "the store's file would have \(bytes) bytes; the limit is \(KeyValueLimits.largestFile) bytes")
    }

    /// Makes the error of a system call on a file of a store.
    static func system(_ operation: String, _ path: String, _ error: SystemError) -> DocumentError {
        DocumentError("cannot " + operation, path, error)
    }
}
