// A place of the model: a root, and the names below it.
// SPDX-License-Identifier: Apache-2.0

/// Where something lies: one of the roots, and the names below it.
package struct Place: Hashable {
    package var root: Int
    package var names: [Bytes]

    package init(root: Int, names: [Bytes]) {
        self.root = root
        self.names = names
    }

    package func entry(_ name: Bytes) -> Place { Place(root: root, names: names + [name]) }
    package var parent: Place { Place(root: root, names: names.dropLast()) }
    package var isRoot: Bool { names.isEmpty }

    package func lies(below other: Place) -> Bool {
        root == other.root && names.count > other.names.count && names.starts(with: other.names)
    }
}
