// The mark by which a container is told from another directory at its path.
// SPDX-License-Identifier: Apache-2.0

/// The mark of a container: 32 random hexadecimal digits in the file `.gather/container` of its directory.
///
/// A container that has one is no other directory that comes to its path: another disk, an empty mount point, a copy. Whatever comes
/// after the digits belongs to later versions, and is not read.
package struct ContainerToken: Hashable, Sendable, CustomStringConvertible {
    /// The digits.
    package let text: String

    /// The directory of the file in the container.
    package static let folder = ".gather"
    /// The name of the file in ``folder``.
    package static let name = "container"
    /// The number of digits.
    package static let length = 32

    /// Takes a mark from the contents of its file; nil if they have none, as those of a file that was cut off.
    package init?(contents: some Collection<UInt8>) {
        let digits = contents.prefix(ContainerToken.length)
        guard digits.count == ContainerToken.length, digits.allSatisfy(ContainerToken.isDigit) else { return nil }
        let next = contents.dropFirst(ContainerToken.length).first
        guard next == nil || next == UInt8(ascii: "\n") || next == UInt8(ascii: " ") else { return nil }
        text = String(decoding: digits, as: UTF8.self)
    }

    private init(text: String) { self.text = text }

    /// Makes a mark that no other container has.
    package static func random() -> ContainerToken {
        var generator = SystemRandomNumberGenerator()
        let digits = (0..<length).map { _ in
            let value = UInt8.random(in: 0..<16, using: &generator)
            return value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
        }
        return ContainerToken(text: String(decoding: digits, as: UTF8.self))
    }

    /// The contents of the file.
    package var contents: [UInt8] { Array("\(text)\n".utf8) }

    /// The digits.
    package var description: String { text }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
    }
}
