// The arguments of the process in their own bytes.
// SPDX-License-Identifier: Apache-2.0

internal import LinuxSystem

/// The arguments of the process as bytes. The parser replaces bytes that are not UTF-8.
struct ArgumentBytes {
    private var replaced: [String: [[UInt8]]] = [:]

    init(_ arguments: [[UInt8]] = ProcessArguments.bytes) {
        for bytes in arguments where String(validating: bytes, as: UTF8.self) == nil {
            replaced[String(decoding: bytes, as: UTF8.self), default: []].append(bytes)
            // The value of an option may stand in the same argument: `--in=DIRECTORY`.
            if bytes.starts(with: "--".utf8), let sign = bytes.firstIndex(of: UInt8(ascii: "=")) {
                let value = Array(bytes[(sign + 1)...])
                replaced[String(decoding: value, as: UTF8.self), default: []].append(value)
            }
        }
    }

    /// Returns the bytes of an argument. If several arguments read the same, each call returns the next one.
    mutating func bytes(of argument: String) -> [UInt8] {
        guard let bytes = replaced[argument]?.first else { return Array(argument.utf8) }
        replaced[argument]?.removeFirst()
        return bytes
    }

    /// Whether an argument has bytes that are not UTF-8.
    func isReplaced(_ argument: String) -> Bool { replaced[argument]?.isEmpty == false }
}
