// The questions that are kept live and asked again, each with what it means, written out by hand.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import IdentityModel

/// A predicate, where it looks, what it wants to know, and which entries hold it.
struct Question: Sendable {
    let name: String
    var predicate: String
    /// A directory below the container's own, nil for everywhere.
    var scope: String? = nil
    /// Beside `path`, unless ``namesOnly``.
    let attributes: [String]
    /// Asks for names and not for paths: moves of directories are no news to it.
    var namesOnly = false
    /// Whether what lies inside packages is asked for, and the directory that its path names.
    var namesPackages = false
    var directory: String? = nil
    /// Whether an entry of this name may be told of, where the name says that.
    var admits: (@Sendable (Bytes) -> Bool)? = nil
    /// For how long after its last change an entry is in the answer, in seconds: then it leaves with no change on disk.
    var lasts: Int? = nil
    let holds: @Sendable (Entry) -> Bool

    /// Asked of every tree; its answer is the whole truth, with identities and parents.
    static let everything = Question(
        name: "everything", predicate: "",
        attributes: ["kind", "size", "modified", "changed", "inode", "links", "mode", "depth"], holds: { _ in true })

    /// In seconds: longer than a run.
    static let recent = 86_400

    static func all(box: Bytes) -> [Question] {
        let scope = String(decoding: box, as: UTF8.self) + "/d1"
        return [
            everything,
            Question(
                name: "pattern", predicate: "name LIKE[cd] 'item_*'", attributes: ["size"],
                holds: {
                    $0.nameText.folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil).hasPrefix(
                        "item_")
                }),
            Question(
                name: "size and suffix", predicate: "size > 100 AND name ENDSWITH '.txt'",
                attributes: ["size", "modified"],
                holds: { $0.size > 100 && $0.nameText.hasSuffix(".txt") }),
            Question(
                name: "directories", predicate: "kind == 'directory'", attributes: ["modified", "links"],
                holds: { $0.kind == "directory" }),
            Question(
                name: "tags", predicate: "ANY tags == 'red'", attributes: ["tags"], holds: { $0.tags.contains("red") }),
            Question(
                name: "attribute", predicate: "\(Entry.churnedAttribute) BEGINSWITH 'x'",
                attributes: [Entry.churnedAttribute], holds: { $0.value?.hasPrefix("x") ?? false }),
            Question(
                name: "recent", predicate: "modified > $time.now(-\(recent)) AND NOT name BEGINSWITH 'Item_'",
                attributes: ["modified"], lasts: recent, holds: { !$0.nameText.hasPrefix("Item_") }),
            Question(
                name: "scope", predicate: "name != 'f1'", scope: scope, attributes: ["kind", "size"],
                holds: { $0.path.starts(with: Bytes(scope + "/")) && $0.nameText != "f1" }),
            Question(
                name: "path", predicate: "path CONTAINS '/d2/' OR depth > 3", attributes: ["depth"],
                holds: { $0.depth > 3 || String(decoding: $0.path, as: UTF8.self).contains("/d2/") }),
            Question(
                name: "names", predicate: "kind == 'file' AND mode == 384", attributes: ["mode"], namesOnly: true,
                holds: { $0.isFile && $0.mode == 0o600 }),
        ]
    }

    /// The parameters of the call.
    var parameters: [String: Any] {
        var parameters: [String: Any] = ["predicate": predicate, "attributes": requested]
        if let scope { parameters["scopes"] = [scope] }
        return parameters
    }

    /// For `Count`.
    var countParameters: [String: Any] {
        var parameters = parameters
        parameters["attributes"] = nil
        return parameters
    }

    private var requested: [String] {
        [namesOnly ? "name" : "path"] + (name == "everything" ? ["parent"] : []) + attributes
    }

    private func wants(_ entry: Entry) -> Bool { !hides(entry) && holds(entry) }

    /// When an entry leaves because its time is over.
    private func end(of entry: Entry) -> Int {
        lasts.map { TimeOfDay.nanoseconds(entry.modified) + $0 * TimeOfDay.second } ?? .max
    }

    /// Whether the time of day alone makes the answer another, after one moment and up to another.
    func changes(_ walk: [Entry], after first: Int, upTo last: Int) -> Bool {
        lasts != nil && walk.contains { wants($0) && first < end(of: $0) && end(of: $0) <= last }
    }

    /// The rows that the answer must have at a time of day, in order.
    func rows(_ walk: [Entry], at moment: Int = TimeOfDay.now) -> [Row] {
        walk.filter { wants($0) && moment < end(of: $0) }
            .map { Row(key: namesOnly ? $0.name : $0.path, text: $0.text(attributes)) }.sorted()
    }
}

/// An item of an answer without its identity: its path, or name where only that was asked for, and its attributes.
struct Row: Hashable, Comparable, CustomStringConvertible {
    var key: Bytes
    var text: String

    static func < (one: Row, other: Row) -> Bool {
        one.key == other.key ? one.text < other.text : one.key.lexicographicallyPrecedes(other.key)
    }

    var description: String { "\(key.shown) \(text)" }

    /// The difference of two sorted lists, shortest first and not too much of it; nil if they are equal.
    static func difference(held: [Row], expected: [Row]) -> String? {
        guard held != expected else { return nil }
        var missing: [Row: Int] = [:]
        for row in expected { missing[row, default: 0] += 1 }
        for row in held { missing[row, default: 0] -= 1 }
        let wrong = missing.filter { $0.value != 0 }.sorted { $0.key < $1.key }
        let lines = wrong.prefix(12).map { $0.value > 0 ? "    missing: \($0.key)" : "    too much: \($0.key)" }
        let rest = wrong.count > lines.count ? ["    and \(wrong.count - lines.count) more"] : []
        return (["\(held.count) held, \(expected.count) expected"] + lines + rest).joined(separator: "\n")
    }
}
