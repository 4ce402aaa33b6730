// Attributes and sort keys as arguments.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import GatherKit

/// Names of attributes with commas between: `path,size`.
struct AttributeList: ExpressibleByArgument {
    let attributes: [Attribute]

    init?(argument: String) {
        var attributes: [Attribute] = []
        for name in argument.split(separator: ",") {
            guard let attribute = Attribute(name: name.trimmingBlanks) else { return nil }
            if !attributes.contains(attribute) { attributes.append(attribute) }
        }
        guard !attributes.isEmpty else { return nil }
        self.attributes = attributes
    }
}

/// A sort key: `size`, `-size` or `size:desc`.
struct SortArgument: ExpressibleByArgument {
    let key: SortKey

    init?(argument: String) {
        var name = Substring(argument)
        var ascending = true
        if name.hasPrefix("-") {
            ascending = false
            name = name.dropFirst()
        }
        // The name of an extended attribute may contain colons.
        if let colon = name.lastIndex(of: ":") {
            let direction = name[name.index(after: colon)...]
            guard direction == "asc" || direction == "desc" || name.hasPrefix(Attribute.extendedPrefix) else {
                return nil
            }
            if direction == "desc" { ascending.toggle() }
            if direction == "asc" || direction == "desc" { name = name[..<colon] }
        }
        guard let attribute = Attribute(name: name) else { return nil }
        key = SortKey(attribute, ascending: ascending)
    }
}

extension Substring {
    fileprivate var trimmingBlanks: Substring {
        var text = self
        while text.first == " " { text.removeFirst() }
        while text.last == " " { text.removeLast() }
        return text
    }
}
