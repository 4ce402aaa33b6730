// The parts of a folder that one scan covers.
// SPDX-License-Identifier: Apache-2.0

/// Chooses the parts of a folder for one scan.
enum ScanParts {
    /// Returns parts that cover all paths: the paths without those inside of others, or the directories of many. If
    /// there are many, those inside of `changed` directories are left out first. Nil stands for the whole folder.
    static func covering(_ paths: Set<String>, or changed: @autoclosure () -> Set<String> = []) -> [String]? {
        var roots = withoutDescendants(paths)
        if fits(roots) { return roots }
        roots = withoutDescendants(paths.union(changed()))
        if fits(roots) { return roots }
        let directories = Set(roots.map { parent($0) })
        // A path at the top has no directory but the folder.
        guard !directories.contains("") else { return nil }
        let covering = withoutDescendants(directories)
        return fits(covering) ? covering : nil
    }

    private static func fits(_ paths: [String]) -> Bool {
        paths.count <= SyncLimits.scannedPaths
            && paths.reduce(0) { $0 + $1.utf8.count } <= SyncLimits.scannedBytes
    }

    private static func parent(_ path: String) -> String {
        path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
    }

    private static func withoutDescendants(_ paths: Set<String>) -> [String] {
        paths.filter { path in
            var ancestor = parent(path)
            while !ancestor.isEmpty {
                if paths.contains(ancestor) { return false }
                ancestor = parent(ancestor)
            }
            return true
        }
        .sorted()
    }
}
