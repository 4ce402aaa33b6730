// Changing a folder into a package and back.
// SPDX-License-Identifier: Apache-2.0

internal import GatherDocuments

extension GroceryList {
    /// Moves all files of the list into a package, or out of it into a folder, and returns the list afterwards. Each file is moved by
    /// rename(2), with its conflict versions and its picture. If this is interrupted, the next call moves the rest.
    ///
    /// - Parameters:
    ///   - name: The name of the list afterwards; nil for the items in the documents folder itself.
    ///   - isPackage: Whether it is a package afterwards.
    /// - Throws: ``GroceryError/Code/invalid`` if a file of the same name is there, since nothing is overwritten.
    ///   ``GroceryError/Code/notFound`` if there is no list of this name.
    package func converted(to name: String?, isPackage: Bool) async throws -> GroceryList {
        guard !isPackage || name != nil else { throw GroceryError(.invalid, "a package needs a name") }
        try await requireList()
        let target = try GroceryList(container: container, list: name, isPackage: isPackage)
        let lock = try await lock()
        defer { withExtendedLifetime(lock) {} }
        // Where an earlier call was interrupted, the list is there in both forms.
        var sources = [try GroceryList(container: container, list: listName, isPackage: false)]
        if listName != nil { sources.append(try GroceryList(container: container, list: listName, isPackage: true)) }
        sources.removeAll { $0.itemsPath == target.itemsPath || !FileSystem.isFolder($0.itemsPath) }
        guard !sources.isEmpty || self.itemsPath != target.itemsPath else {
            throw GroceryError(.invalid, "the list is \(isPackage ? "a package" : "a folder") of this name already")
        }
        let (all, home, former) = (sources, "\(container.data)/Documents", listName)
        try await FileSystem.run {
            try target.makeFolders(of: former)
            for source in all {
                // The pictures go first, and are looked for in both places meanwhile: no item is without its own.
                try GroceryList.moveAll(from: source.picturesPath, to: target.picturesPath) {
                    $0.hasPrefix("Item_") && source.isPicture($0)
                }
                try GroceryList.moveAll(from: source.itemsPath, to: target.itemsPath) {
                    $0.hasPrefix("Item_") && !source.isPicture($0)
                }
                guard source.rootPath != home else { continue }
                if source.isPackage {
                    _ = try FolderMove.removeEmpty(source.itemsPath)
                    _ = try FolderMove.removeEmpty(source.picturesPath)
                }
                guard try FolderMove.removeEmpty(source.rootPath) else {
                    throw GroceryError(
                        .invalid, "all items are in \(target.rootPath), and other files are left in \(source.rootPath)")
                }
            }
        }
        return target
    }

    /// Moves the files whose names meet the condition to another folder of the file system.
    private static func moveAll(
        from source: String, to target: String, where condition: (String) -> Bool
    ) throws {
        do throws(DocumentError) {
            try FolderMove.moveAll(from: source, to: target, where: condition)
        } catch {
            guard error.code == .exists else { throw error }
            throw GroceryError(.invalid, "\(error.path ?? "an entry") is there already, so the list is moved in part")
        }
    }
}
