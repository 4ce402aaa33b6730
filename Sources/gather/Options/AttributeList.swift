// Attributes and sort keys as arguments.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import GatherKit
internal import PredicateLanguage

/// An attribute as an argument.
struct AttributeArgument {
    let attribute: Attribute

    /// - Throws: `ValidationError` for an unknown name, with the one that was probably meant, as in a predicate.
    init(_ name: String) throws {
        do throws(PredicateError) {
            attribute = try AttributeNames.attribute(named: name)
        } catch {
            throw ValidationError("\(error.message). 'gather attributes' lists them.")
        }
    }
}

/// Names of attributes with commas between: `path,size`.
struct AttributeList {
    let attributes: [Attribute]

    /// - Throws: As ``AttributeArgument/init(_:)``, and for a list without a name.
    init(_ argument: String) throws {
        var attributes: [Attribute] = []
        for name in argument.split(separator: ",") {
            let attribute = try AttributeArgument(String(name.trimmingBlanks)).attribute
            if !attributes.contains(attribute) { attributes.append(attribute) }
        }
        guard !attributes.isEmpty else { throw ValidationError("'gather attributes' lists the names.") }
        self.attributes = attributes
    }

    /// Several lists as one; nil if there are none.
    init?(_ lists: [AttributeList]) {
        guard !lists.isEmpty else { return nil }
        var attributes: [Attribute] = []
        for attribute in lists.flatMap(\.attributes) where !attributes.contains(attribute) {
            attributes.append(attribute)
        }
        self.attributes = attributes
    }
}

/// A sort key: `size`, `-size` or `size:desc`.
struct SortArgument {
    let key: SortKey

    /// - Throws: As ``AttributeArgument/init(_:)``, and for another direction than `asc` and `desc`.
    init(_ argument: String) throws {
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
                throw ValidationError("the direction is asc or desc.")
            }
            if direction == "desc" { ascending.toggle() }
            if direction == "asc" || direction == "desc" { name = name[..<colon] }
        }
        key = SortKey(try AttributeArgument(String(name)).attribute, ascending: ascending)
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
