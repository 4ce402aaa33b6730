// A predicate: its text understood, checked, printed and evaluated.
// SPDX-License-Identifier: Apache-2.0

package import ContentTypes
import Metadata

/// A predicate that has been understood: a checked syntax tree with the place of every part in the text.
package struct Predicate: Sendable, CustomStringConvertible {
    /// What the keys of a predicate are.
    package enum Mode: Sendable, Hashable {
        /// Any keys, of objects with values typed as JSON has them; a missing key is nil. Types are found out while
        /// evaluating.
        case objects
        /// The attributes of the daemon's items, each with a type that operators and literals have to fit.
        case metadata
    }

    package let mode: Mode
    package let root: PredicateNode

    /// Reads a predicate. In ``Mode/metadata`` an empty text matches everything, keys are resolved to attributes,
    /// literals take the type of the attribute beside them, and a constant on the left changes sides.
    ///
    /// `types` is asked once at most, and only by a predicate that compares content types.
    package init(
        parsing text: String, mode: Mode = .objects,
        types: @autoclosure () -> ContentTypeDatabase = ContentTypeDatabase()
    ) throws(PredicateError) {
        try self.init(parsing: Array(text.utf8), mode: mode, types: types())
    }

    /// Reads a predicate from bytes, which have to be UTF-8.
    package init(
        parsing bytes: [UInt8], mode: Mode = .objects,
        types: @autoclosure () -> ContentTypeDatabase = ContentTypeDatabase()
    ) throws(PredicateError) {
        if let invalid = bytes.withUnsafeBytes({ UTF8Scalars.firstInvalid($0) }) {
            throw PredicateError("the predicate is not UTF-8 here", at: invalid)
        }
        var parser = try Parser(bytes, mode: mode)
        var root = try parser.parse()
        if mode == .metadata {
            var resolver = AttributeResolver()
            root = try resolver.resolve(root: root)
        }
        self.mode = mode
        self.root = try PatternCompiler.compile(root, mode: mode, types: types)
    }

    init(mode: Mode, root: PredicateNode) {
        self.mode = mode
        self.root = root
    }

    /// The canonical text: it reads back as the same tree, with every time that is not relative written out.
    package var canonical: String { root.description }

    package var description: String { canonical }
}
