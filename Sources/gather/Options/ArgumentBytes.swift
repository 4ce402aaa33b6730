// The arguments of the process in their own bytes.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The arguments of the process in their own bytes: in `CommandLine.arguments` what is no UTF-8 has been replaced.
struct ArgumentBytes {
    private var replaced: [String: [[UInt8]]] = [:]

    init() {
        for place in 0..<Int(CommandLine.argc) {
            // argv has argc strings, which stay as long as the process (execve(2)).
            guard let pointer = CommandLine.unsafeArgv[place] else { continue }
            let bytes = UnsafeBufferPointer(start: pointer, count: strlen(pointer)).map { UInt8(bitPattern: $0) }
            guard String(validating: bytes, as: UTF8.self) == nil else { continue }
            replaced[String(decoding: bytes, as: UTF8.self), default: []].append(bytes)
        }
    }

    /// The bytes of an argument; of several that read the same, of the first that was not asked for yet.
    mutating func bytes(of argument: String) -> [UInt8] {
        guard let bytes = replaced[argument]?.first else { return Array(argument.utf8) }
        replaced[argument]?.removeFirst()
        return bytes
    }
}
