// Paths inside a package.
// SPDX-License-Identifier: Apache-2.0

internal import Metadata

/// Paths inside a package: names with slashes between them, as bytes. The root is the empty path.
enum PackagePath {
    private static let slash = UInt8(ascii: "/")

    /// Returns the path of the folder, and the name in it.
    static func split(_ path: [UInt8]) -> (parent: [UInt8], name: [UInt8]) {
        guard let slash = path.lastIndex(of: slash) else { return ([], path) }
        return (Array(path[..<slash]), Array(path[(slash + 1)...]))
    }

    static func join(_ parent: [UInt8], _ name: [UInt8]) -> [UInt8] { parent.isEmpty ? name : parent + [slash] + name }

    /// Returns the names of a path; nil if one cannot be a name in a package.
    static func names(of path: [UInt8]) -> [[UInt8]]? {
        guard !path.isEmpty else { return [] }
        let names = path.split(separator: slash, omittingEmptySubsequences: false).map { Array($0) }
        return names.allSatisfy { problem(with: $0) == nil } ? names : nil
    }

    /// Returns the reason for which an application cannot use a name in a package; nil if it can.
    static func problem(with name: [UInt8]) -> String? {
        if name.isEmpty || name == Array(".".utf8) || name == Array("..".utf8) { return "it is no file name" }
        if name.contains(slash) || name.contains(0) { return "it has a slash or a NUL" }
        if name.count > DocumentLimits.nameBytes {
            return
                "it has \(name.count) bytes, and \(DocumentLimits.nameBytes) are the most that leave room for the names of "
                + "conflict versions"
        }
        switch PackageTree.Role(of: name) {
        case .content: return nil
        case .conflictVersion: return "it is the name of a conflict version"
        case .temporary: return SyncthingName.refusal
        }
    }

    /// Returns the paths of the folders above, the outermost first, without the root.
    static func ancestors(of path: [UInt8]) -> [[UInt8]] {
        path.indices.filter { path[$0] == slash }.map { Array(path[..<$0]) }
    }
}
