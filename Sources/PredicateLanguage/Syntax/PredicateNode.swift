// The part of a predicate's syntax tree that is true or false.
// SPDX-License-Identifier: Apache-2.0

/// A part of a predicate that is true or false. Equality ignores positions, and compares text as `String` does: NFC and
/// NFD spellings of a constant are equal here, but not in the language. Compare ``Predicate/canonical`` by bytes where
/// that matters.
package struct PredicateNode: Sendable, Hashable {
    package indirect enum Kind: Sendable, Hashable {
        /// TRUEPREDICATE or FALSEPREDICATE.
        case constant(Bool)
        /// True when all are; evaluated left to right up to the first that is false. Two or more.
        case and([PredicateNode])
        /// True when one is; evaluated left to right up to the first that is true. Two or more.
        case or([PredicateNode])
        case not(PredicateNode)
        case comparison(Comparison)
    }

    package var kind: Kind
    package var position: BytePosition

    package init(_ kind: Kind, at position: Int) {
        self.kind = kind
        self.position = BytePosition(position)
    }

    /// The parts directly below that are true or false.
    package var children: [PredicateNode] {
        switch kind {
        case .constant, .comparison: []
        case .and(let children), .or(let children): children
        case .not(let child): [child]
        }
    }

    /// The number of levels of nodes and expressions, this one included.
    var height: Int {
        if case .comparison(let comparison) = kind {
            return 1 + max(comparison.left.height, comparison.right.height)
        }
        return 1 + (children.lazy.map(\.height).max() ?? 0)
    }
}
