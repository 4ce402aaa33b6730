// The arguments of this process.
// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc

/// The arguments of this process, as `main` gets them. Swift's `CommandLine` reads `/proc`, and ends a process that has none. It
/// finds none either after a preloaded library has changed the environment (setenv(3) moves it).
package enum ProcessArguments {
    /// The arguments in their own bytes, the name of the program first.
    package static let bytes: [[UInt8]] = {
        var count: CInt = 0
        guard let values = clinux_arguments(&count) else { return [] }
        return (0..<Int(count)).compactMap { index in
            values[index].map { Array(UnsafeRawBufferPointer(start: $0, count: strlen($0))) }
        }
    }()

    /// The arguments as text, with replacement characters for bytes that are not UTF-8.
    package static var texts: [String] { bytes.map { String(decoding: $0, as: UTF8.self) } }
}
