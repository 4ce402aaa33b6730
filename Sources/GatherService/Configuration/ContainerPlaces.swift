// Containers by where they lie, so that those which a further one overlaps are found by the directories above it.
// SPDX-License-Identifier: Apache-2.0

/// The containers of a configuration. To add one, or to find those that it overlaps, takes time by the depth of its path
/// and the number of those that lie in it or around it, and not by that of all others.
struct ContainerPlaces: Sendable, Equatable {
    private(set) var all: [ContainerPlace] = []
    private var byIdentifier: [String: Int] = [:]
    /// By the directory, as it is written and as symlinks lead there.
    private var byPath: [String: [Int]] = [:]
    /// By each directory above.
    private var below: [String: [Int]] = [:]

    var containers: [ContainerConfiguration] { all.map(\.container) }

    func container(_ identifier: String) -> ContainerConfiguration? {
        byIdentifier[identifier].map { all[$0].container }
    }

    mutating func append(_ place: ContainerPlace) {
        let number = all.count
        all.append(place)
        byIdentifier[place.container.identifier] = number
        for path in paths(of: place) {
            byPath[path, default: []].append(number)
            for directory in directories(above: path) { below[directory, default: []].append(number) }
        }
    }

    /// Those with the same directory.
    func sharing(_ place: ContainerPlace) -> [ContainerPlace] {
        (byPath[place.resolvedPath] ?? []).map { all[$0] }.filter { $0.resolvedPath == place.resolvedPath }
    }

    /// Those that are the same directory, lie in it or around it.
    func overlapping(_ place: ContainerPlace) -> [ContainerPlace] {
        var near: Set<Int> = []
        for path in paths(of: place) {
            near.formUnion(byPath[path] ?? [])
            near.formUnion(below[path] ?? [])
            for directory in directories(above: path) { near.formUnion(byPath[directory] ?? []) }
        }
        return near.sorted().map { all[$0] }.filter { $0.overlaps(place) }
    }

    private func paths(of place: ContainerPlace) -> Set<String> { [place.resolvedPath, place.container.path] }

    private func directories(above path: String) -> [String] {
        var directories: [String] = []
        var path = path
        while path != "/", let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) {
            path = slash == path.utf8.startIndex ? "/" : String(path[..<slash])
            directories.append(path)
        }
        return directories
    }
}
