// The way from `/` down to a container, through the symlinks on it.
// SPDX-License-Identifier: Apache-2.0

/// Goes the way from `/` down to a container. ``path`` never has a symlink in it.
struct AncestorWalk {
    /// The longest that a symlink can say (`PATH_MAX`), and how many the kernel follows (path_resolution(7)).
    static let symlinkLength = 4_096
    static let symlinkCount = 40

    /// The names that are still to go, the next one last.
    private var rest: [[UInt8]]
    private var place: [[UInt8]] = []
    private var symlinks = 0
    /// All names that the way has gone through or will.
    private(set) var names: Set<[UInt8]>

    init(_ components: [[UInt8]]) {
        rest = components.reversed()
        names = Set(components)
    }

    static func components(_ path: [UInt8]) -> [[UInt8]] {
        path.split(separator: UInt8(ascii: "/")).map(Array.init)
    }

    /// The directory that the next name is in, ended by a NUL.
    var path: [CChar] {
        (place.isEmpty ? [UInt8(ascii: "/")] : place.flatMap { [UInt8(ascii: "/")] + $0 }).map(CChar.init(bitPattern:))
            + [0]
    }

    /// Whether the name that ``next()`` has given is the last.
    var isAtEnd: Bool { rest.isEmpty }

    /// The next name, to be looked at in ``path``; nil at the end.
    mutating func next() -> [UInt8]? {
        while let name = rest.popLast() {
            if name == [UInt8(ascii: ".")] { continue }
            if name != [UInt8(ascii: "."), UInt8(ascii: ".")] { return name }
            _ = place.popLast()
        }
        return nil
    }

    /// Goes on from that name: into it, or where it points. False where there are too many symlinks.
    mutating func descend(_ name: [UInt8], through target: [UInt8]?) -> Bool {
        guard let target else {
            place.append(name)
            return true
        }
        symlinks += 1
        guard symlinks <= AncestorWalk.symlinkCount else { return false }
        if target.first == UInt8(ascii: "/") { place = [] }
        let components = AncestorWalk.components(target)
        names.formUnion(components)
        rest.append(contentsOf: components.reversed())
        return true
    }
}
