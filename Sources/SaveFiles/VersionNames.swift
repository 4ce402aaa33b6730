// Names for a new conflict version of a file.
// SPDX-License-Identifier: Apache-2.0

package import Metadata

/// Names for a new conflict version of a file, one for each second of a day from now on. The caller takes the first one that is free.
/// There are none for a file whose name is too long (``ConflictName/longestOriginal``).
package struct VersionNames: Sequence {
    /// How many names are tried.
    package static let count = 86_400

    private let original: [UInt8]
    private let device: String
    private let start: Int

    /// Makes the names of versions of a file.
    ///
    /// - Parameters:
    ///   - original: The name of the file, or of one of its versions.
    ///   - device: The device whose version stays current, as ``ConflictName/device`` has it.
    package init(of original: [UInt8], device: String) {
        self.original = original
        self.device = device
        start = VersionTime.now
    }

    /// The first name; nil if there is none.
    package var first: ConflictName? { name(0) }

    private func name(_ second: Int) -> ConflictName? {
        ConflictName(of: original, time: VersionTime.local(start + second), device: device)
    }

    /// Returns the names one after the other.
    package func makeIterator() -> AnyIterator<ConflictName> {
        var second = 0
        return AnyIterator {
            guard second < VersionNames.count else { return nil }
            defer { second += 1 }
            return name(second)
        }
    }
}
