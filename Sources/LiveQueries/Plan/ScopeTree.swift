// The scopes of a query as a tree of directory names.
// SPDX-License-Identifier: Apache-2.0

/// The union of several scopes as a tree of directory names, walked along a path. Each directory tells whether the
/// items directly below it are in scope. Most walks end after a step or two.
struct ScopeTree: Sendable, Hashable {
    private struct Node: Sendable, Hashable {
        var children: [[UInt8]: UInt32] = [:]
        /// Whether the items directly below this directory, and below its unnamed children, are in scope.
        var covers: Bool
    }

    /// The state of a directory: in scope, out of scope, or a node of the tree. It is never 0, so that a zeroed array
    /// has no known states.
    struct State: Sendable, Hashable {
        let number: UInt32
        static let outside = State(number: 1)
        static let inside = State(number: 2)
        fileprivate static let firstNode: UInt32 = 3
        static let root = State(number: firstNode)
    }

    private var nodes: [Node]
    /// Whether a directory is named. Packages and archives are searched there, also where everything is in scope.
    private let namesDirectory: Bool

    init(_ scopes: [QueryScope]) {
        let documents = Array(DerivedText.documents.utf8)
        let isWhole = scopes.contains { $0 == .whole || $0 == .directory([]) }
        namesDirectory = scopes.contains { if case .directory(let path) = $0 { !path.isEmpty } else { false } }
        nodes = [Node(covers: isWhole || scopes.contains(.data))]
        if isWhole { return }
        if scopes.contains(.data) { add([documents], covers: false) }
        var directories: [[[UInt8]]] = []
        for scope in scopes {
            switch scope {
            case .whole, .data: break
            case .documents: directories.append([documents])
            case .directory(let path): directories.append(path.split(separator: UInt8(ascii: "/")).map(Array.init))
            }
        }
        // A directory passes its answer to those below it, so the upper ones come first.
        for path in directories.sorted(by: { $0.count < $1.count }) { add(path, covers: true) }
    }

    private mutating func add(_ path: [[UInt8]], covers: Bool) {
        var at = 0
        for name in path {
            if let child = nodes[at].children[name] {
                at = Int(child)
            } else {
                nodes.append(Node(covers: nodes[at].covers))
                nodes[at].children[name] = UInt32(nodes.count - 1)
                at = nodes.count - 1
            }
        }
        nodes[at].covers = covers
    }

    /// Whether everything is in scope.
    var isWhole: Bool { nodes.allSatisfy(\.covers) }

    /// Whether an item that goes elsewhere may come into the searched part, or leave it.
    var dependsOnPlace: Bool { !isWhole || namesDirectory }

    /// Whether no item is in scope.
    var isEmpty: Bool { !nodes.contains(where: \.covers) }

    /// The state of the directory `name` in a directory.
    func step(_ state: State, _ name: UnsafeRawBufferPointer) -> State {
        guard state.number >= State.firstNode else { return state }
        let node = nodes[Int(state.number - State.firstNode)]
        // Few scopes have many children, so comparing them all is faster than hashing an array.
        if node.children.count <= 4 {
            for (child, number) in node.children where RawBytes.isEqual(name, child) {
                return State(number: number + State.firstNode)
            }
        } else if let number = node.children[Array(name)] {
            return State(number: number + State.firstNode)
        }
        return node.covers ? .inside : .outside
    }

    /// Whether the items directly below a directory in this state are in scope.
    func covers(_ state: State) -> Bool {
        guard state.number >= State.firstNode else { return state == .inside }
        return nodes[Int(state.number - State.firstNode)].covers
    }

    /// Whether an item at this path from the container's root is in scope.
    func covers(path: [UInt8]) -> Bool {
        path.withUnsafeBytes { bytes in
            var state = State.root
            var start = 0
            for place in bytes.indices where bytes[place] == UInt8(ascii: "/") {
                state = step(state, UnsafeRawBufferPointer(rebasing: bytes[start..<place]))
                if state.number < State.firstNode { break }
                start = place + 1
            }
            return covers(state)
        }
    }

    /// The directories such that every item in scope lies below one of them; nil where there are none (the whole
    /// container, or data). No directory lies below another.
    var directories: [[UInt8]]? {
        if nodes[0].covers { return nil }
        var found: [[UInt8]] = []
        // The path to the present node. A path for each node would take the square of the depth.
        var path: [UInt8] = []
        var open: [(node: Int, name: [UInt8], above: Int)] = [(0, [], 0)]
        while let (at, name, above) = open.popLast() {
            path.removeSubrange(above...)
            if !path.isEmpty { path.append(UInt8(ascii: "/")) }
            path += name
            if nodes[at].covers {
                found.append(path)
            } else {
                for (name, child) in nodes[at].children { open.append((Int(child), name, path.count)) }
            }
        }
        return found
    }
}
