// The kind of a file-system entry.
// SPDX-License-Identifier: Apache-2.0

/// The kind of a file-system entry, named as in `io.gatherd.Query`'s `Kind`.
@nonexhaustive
public enum FileKind: UInt8, Sendable, CaseIterable, Hashable {
    case file
    case directory
    /// A directory that its container's configuration presents as one item.
    case package
    case symlink
    case fifo
    case socket
    case characterDevice
    case blockDevice

    /// The name used in predicates and on the wire.
    public var name: StaticString {
        switch self {
        case .file: "file"
        case .directory: "directory"
        case .package: "package"
        case .symlink: "symlink"
        case .fifo: "fifo"
        case .socket: "socket"
        case .characterDevice: "characterDevice"
        case .blockDevice: "blockDevice"
        }
    }

    /// Returns the kind with this name; nil if there is none.
    public init?(name: some StringProtocol) {
        guard let kind = FileKind.allCases.first(where: { $0.name.description == name }) else { return nil }
        self = kind
    }

    /// Whether the entry can have others below it: a directory or a package.
    public var isDirectory: Bool { self == .directory || self == .package }
}
