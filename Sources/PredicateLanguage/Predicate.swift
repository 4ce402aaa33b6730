// A predicate, read from its text and checked.
// SPDX-License-Identifier: Apache-2.0

package import ContentTypes
package import Metadata

/// A checked syntax tree, with the place of every part in the text.
package struct Predicate: Sendable, CustomStringConvertible {
    /// The meaning of a predicate's keys.
    package enum Mode: Sendable, Hashable {
        /// Any keys, of objects with values typed as in JSON; a missing key is nil. Types are found during evaluation.
        case objects
        /// The attributes of the daemon's items. Operators and literals must fit the type of each.
        case metadata
    }

    package let mode: Mode
    package let root: PredicateNode
    /// The time zone that it was read in, if its meaning depends on that.
    package let zone: LocalZone?
    /// Remarks on parts that are valid and probably mistaken, by position; at most ``PredicateLimits/hints``.
    package let hints: [PredicateHint]

    /// Reads a predicate. In ``Mode/metadata`` an empty text matches everything, keys become attributes, literals take
    /// the type of the attribute beside them, and a constant on the left changes sides.
    ///
    /// Calls `types` at most once, and only for a predicate that compares content types. Dates without a zone, days, weeks,
    /// months and years are those of `zone`.
    package init(
        parsing text: String, mode: Mode = .objects, zone: LocalZone = .process,
        types: @autoclosure () -> ContentTypeDatabase = ContentTypeDatabase()
    ) throws(PredicateError) {
        try self.init(parsing: Array(text.utf8), mode: mode, zone: zone, types: types())
    }

    /// Reads a predicate from bytes, which must be UTF-8.
    package init(
        parsing bytes: [UInt8], mode: Mode = .objects, zone: LocalZone = .process,
        types: @autoclosure () -> ContentTypeDatabase = ContentTypeDatabase()
    ) throws(PredicateError) {
        if let invalid = bytes.withUnsafeBytes({ UTF8Scalars.firstInvalid($0) }) {
            throw PredicateError("the predicate is not UTF-8 here", at: invalid)
        }
        var parser = try Parser(bytes, mode: mode, zone: zone)
        var root = try parser.parse()
        var readsZone = parser.readsZone
        var hints: [PredicateHint] = []
        var database: ContentTypeDatabase?
        if mode == .metadata {
            var resolver = AttributeResolver(parser)
            root = try resolver.resolve(root: root)
            readsZone = resolver.readsZone
            if !resolver.mediaTypes.isEmpty {
                let types = types()
                database = types
                for named in resolver.mediaTypes { resolver.checkMediaType(named, types) }
            }
            hints = resolver.hints.sorted { $0.position < $1.position }
        }
        root.forEachExpression { expression in
            switch expression.kind {
            case .time(let time): if time.unit != .now { readsZone = true }
            case .cast(_, .date, _): readsZone = true
            default: break
            }
        }
        self.zone = readsZone ? zone : nil
        self.mode = mode
        self.hints = hints
        self.root = try PatternCompiler.compile(root, mode: mode) { database ?? types() }
    }

    init(mode: Mode, root: PredicateNode) {
        self.mode = mode
        self.root = root
        zone = nil
        hints = []
    }

    /// The canonical text, which reads back as the same tree. Times that are not relative are written in full.
    package var canonical: String { root.description }

    package var description: String { canonical }
}
