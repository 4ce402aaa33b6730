// The containers of a configuration by their places.
// SPDX-License-Identifier: Apache-2.0

/// The containers of a configuration. Adding one and finding its overlaps cost O(depth of its path and containers
/// inside or around it), however many there are.
struct ContainerPlaces: Sendable, Equatable {
    private(set) var all: [ContainerPlace] = []
    private var byIdentifier: [String: Int] = [:]
    /// Containers by their directory, as configured and with symbolic links resolved.
    private var byPath: [String: [Int]] = [:]
    /// Containers by each directory above them.
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

    /// Returns the containers with the same directory.
    func sharing(_ place: ContainerPlace) -> [ContainerPlace] {
        (byPath[place.resolvedPath] ?? []).map { all[$0] }.filter { $0.resolvedPath == place.resolvedPath }
    }

    /// Returns the containers that have the same directory, lie in it, or lie around it.
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
