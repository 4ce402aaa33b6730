// Packages as they follow from a walk: their facts, and the items that a question hides.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import IdentityModel

extension Entry {
    /// A walk with the directories that have one of these extensions, and lie in no other, as packages: with the size of all
    /// regular files within, and the newest times.
    static func presented(_ walk: [Entry], packages: [String]) -> [Entry] {
        if packages.isEmpty { return walk }
        var entries = walk
        var at = 0
        while at < entries.count {
            guard entries[at].kind == "directory", packages.contains(where: entries[at].hasExtension) else {
                at += 1
                continue
            }
            let package = at
            entries[package].kind = "package"
            entries[package].size = 0
            at += 1
            // Entries below a directory follow it.
            while at < entries.count, entries[at].path.starts(with: entries[package].path + [UInt8(ascii: "/")]) {
                entries[at].package = entries[package].path
                if entries[at].isFile { entries[package].size += entries[at].size }
                entries[package].modified = later(entries[package].modified, entries[at].modified)
                entries[package].changed = later(entries[package].changed, entries[at].changed)
                at += 1
            }
        }
        return entries
    }

    private func hasExtension(_ text: String) -> Bool {
        let lower = name.map { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 ? $0 + 32 : $0 }
        return lower.count > text.utf8.count + 1 && lower.reversed().starts(with: ("." + text).utf8.reversed())
    }

    private static func later(_ one: timespec, _ other: timespec) -> timespec {
        (one.tv_sec, one.tv_nsec) < (other.tv_sec, other.tv_nsec) ? other : one
    }
}

extension Question {
    /// Whether an entry lies inside a package, and the question names nothing there: no directory at or in the package that
    /// the entry lies below.
    func hides(_ entry: Entry) -> Bool {
        guard let package = entry.package, !namesPackages else { return false }
        guard let directory = (directory ?? scope).map({ Bytes($0) }) else { return true }
        let slash = [UInt8(ascii: "/")]
        let isAtOrIn = directory == package || directory.starts(with: package + slash)
        return !(isAtOrIn && entry.path.starts(with: directory + slash))
    }

    /// As ``all(box:)``, of a tree with packages.
    static func ofPackages(box: Bytes) -> [Question] {
        let package = String(decoding: box, as: UTF8.self) + "/p.gro"
        let attributes = ["kind", "size", "modified", "changed"]
        var questions = all(box: box)
        questions[0].predicate = "inPackage IN {TRUE, FALSE}"
        questions[0].namesPackages = true
        for place in questions.indices where questions[place].name == "tags" {
            questions[place].predicate += " AND inPackage IN {TRUE, FALSE}"
            questions[place].namesPackages = true
        }
        return questions + [
            Question(name: "shown", predicate: "", attributes: attributes, holds: { _ in true }),
            Question(
                name: "packages", predicate: "kind == 'package' AND size > 200", attributes: attributes,
                holds: { $0.kind == "package" && $0.size > 200 }),
            Question(
                name: "inside", predicate: "inPackage == TRUE", attributes: ["kind", "size"], namesPackages: true,
                holds: { $0.package != nil }),
            Question(
                name: "in a package", predicate: "", scope: package, attributes: ["kind", "size"],
                holds: { $0.path.starts(with: Bytes(package + "/")) }),
            Question(
                name: "deep in a package", predicate: "", scope: package + "/d1", attributes: ["kind", "size"],
                holds: { $0.path.starts(with: Bytes(package + "/d1/")) }),
            Question(
                name: "path in a package", predicate: "path BEGINSWITH '\(package)/' AND size > 10",
                attributes: ["size"], directory: package,
                holds: { $0.path.starts(with: Bytes(package + "/")) && $0.size > 10 }),
        ]
    }
}
