// A constant list of texts, compiled for look-ups.
// SPDX-License-Identifier: Apache-2.0

package import Metadata

/// The texts of a constant list, folded once and sorted.
package struct TextSet: Sendable, Hashable {
    package let options: TextOptions
    /// The folded texts, ascending by bytes, without duplicates.
    package let texts: [[UInt8]]

    private let folding: TextFolding

    /// Compiles the texts among the values; other values equal no text.
    package init(_ values: [MetadataValue], options: TextOptions = []) {
        self.options = options
        let folding = TextFolding(options)
        self.folding = folding
        var texts: [[UInt8]] = []
        for value in values {
            if case .string(let text) = value { texts.append(folding.fold(text).bytes) }
        }
        texts.sort { $0.lexicographicallyPrecedes($1) }
        self.texts = texts.indices.filter { $0 == 0 || texts[$0] != texts[$0 - 1] }.map { texts[$0] }
    }

    /// Whether a text is in the list. Complexity: O(log n). Allocates only with options. The bytes need not be UTF-8.
    package func contains(_ text: UnsafeRawBufferPointer) -> Bool {
        if folding.isIdentity { return search(text) }
        return folding.fold(text).bytes.withUnsafeBytes { search($0) }
    }

    private func search(_ text: UnsafeRawBufferPointer) -> Bool {
        var low = 0
        var high = texts.count
        while low < high {
            let middle = (low + high) / 2
            let order = texts[middle].withUnsafeBytes { ByteSearch.compare($0, text) }
            if order == 0 { return true }
            if order < 0 { low = middle + 1 } else { high = middle }
        }
        return false
    }
}
