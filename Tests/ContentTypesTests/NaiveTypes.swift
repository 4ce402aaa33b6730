// The specification's rules, followed line by line over the whole database.
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Finds the type of a name by holding every glob against it.
struct NaiveTypes {
    struct Line {
        let weight: Int
        let type: String
        let glob: String
        let isCaseSensitive: Bool
    }

    var lines: [Line] = []

    init(_ text: String) {
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            let fields = line.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
            guard fields.count >= 3, let weight = Int(fields[0]) else { continue }
            // The same again, for readers that know no flags.
            if let last = lines.last, last.isCaseSensitive, fields.count == 3, fields[2] == last.glob {
                continue
            }
            lines.append(
                Line(
                    weight: weight, type: fields[1], glob: fields[2],
                    isCaseSensitive: fields.count > 3 && fields[3] == "cs"))
        }
    }

    func type(of name: String) -> String? {
        var found = lines.filter { fnmatch($0.glob, name, 0) == 0 }
        let folded = name.lowercased()
        if found.isEmpty { found = lines.filter { !$0.isCaseSensitive && fnmatch($0.glob, folded, 0) == 0 } }
        found = found.filter { line in found.allSatisfy { $0.weight <= line.weight } }
        found = found.filter { line in found.allSatisfy { $0.glob.utf8.count <= line.glob.utf8.count } }
        return found.first?.type
    }
}
