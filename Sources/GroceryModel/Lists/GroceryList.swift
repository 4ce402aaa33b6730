// A list: a folder of items, or a package with items and pictures.
// SPDX-License-Identifier: Apache-2.0

package import GatherDocuments

/// A list in a container: a folder of items with their pictures beside them, or a package `NAME.gro` with the folders `items` and
/// `images`.
///
/// Every operation is done on files through `Document`, `FileVersion` and `Trash`, so that other processes, an editor and
/// Syncthing may work on the list at the same time. The value holds no state but its undo log.
package struct GroceryList: Sendable {
    /// The ending of a package's name.
    package static let packageEnding = ".gro"

    package let container: Container
    /// The name of a list in a folder or a package of its own; nil for the items in the documents folder itself.
    package let listName: String?
    /// The form of the list: true for a package, false for a folder, nil for the one that is there.
    private let form: Bool?
    private(set) var undoLog: UndoLog
    let trash: Trash

    /// Makes the value for a list of a container. A package of this name is taken if it is there, else a folder.
    ///
    /// - Parameter list: The name of the list without an ending; nil for the items in the documents folder itself.
    package init(container: Container, list: String? = nil) throws(GroceryError) {
        try self.init(container: container, list: list, isPackage: nil)
    }

    init(container: Container, list: String?, isPackage: Bool?) throws(GroceryError) {
        self.container = container
        if let list {
            _ = try ItemText.line(list, "list's name")
            guard !list.isEmpty, !list.hasPrefix("."), !list.contains("/"), !list.hasSuffix(GroceryList.packageEnding)
            else {
                throw GroceryError(.invalid, "a list cannot be named '\(DisplayText.escaped(list))'")
            }
        }
        listName = list
        form = isPackage
        undoLog = UndoLog(container: container)
        trash = Trash(container: container.data)
    }

    /// Returns this list for the changes of a browser, which has an undo of its own.
    ///
    /// - Parameter browser: An identifier of letters, digits and hyphens, at most ``GroceryLimits/browserBytes`` long.
    package func changed(by browser: String) -> GroceryList {
        var list = self
        list.undoLog = UndoLog(container: container, browser: browser)
        return list
    }

    /// Whether the list is a package now. It is looked up at each use, since another program may convert the list.
    package var isPackage: Bool {
        form ?? (listName != nil && FileSystem.isFolder(path(rootNames(true))))
    }

    /// The name for people.
    package var name: String { listName ?? container.identifier.rawValue }

    // MARK: Places

    private func rootNames(_ isPackage: Bool) -> [String] {
        ["Documents"] + (listName.map { [isPackage ? $0 + GroceryList.packageEnding : $0] } ?? [])
    }
    private func itemNames(_ isPackage: Bool) -> [String] { rootNames(isPackage) + (isPackage ? ["items"] : []) }
    private func pictureNames(_ isPackage: Bool) -> [String] { rootNames(isPackage) + (isPackage ? ["images"] : []) }
    private func path(_ names: [String]) -> String { ([container.data.string] + names).joined(separator: "/") }
    /// The forms that the list may have.
    private var forms: [Bool] { listName == nil ? [false] : [false, true] }

    /// The folder or the package. It may be missing.
    var rootPath: String { path(rootNames(isPackage)) }
    /// The folder of the items. It may be missing.
    var itemsPath: String { path(itemNames(isPackage)) }
    /// The folder of the pictures. It may be missing.
    var picturesPath: String { path(pictureNames(isPackage)) }
    /// The folders of the pictures in all forms.
    var pictureFolders: [String] { forms.map { path(pictureNames($0)) } }

    /// Returns the path of a file of this list in its present form, for a path that it had before the list was converted. Another path
    /// stays as it is.
    func present(_ path: String) -> String {
        guard listName != nil, !FileSystem.exists(path), let slash = path.lastIndex(of: "/") else { return path }
        let (folder, name) = (String(path[..<slash]), String(path[path.index(after: slash)...]))
        guard pictureFolders.contains(folder) || itemPrefixes.contains(folder + "/") else { return path }
        return (isPicture(name) ? picturesPath : itemsPath) + "/" + name
    }

    /// The beginnings of the paths of items. While a list is converted, it is there in both forms.
    var itemPrefixes: [String] {
        forms.map { path(itemNames($0)) + "/" }
    }

    /// Waits for the lock under which the list is changed.
    ///
    /// - Throws: ``GroceryError/Code/away`` if the container is away, or a symbolic link has the list's place.
    func lock() async throws -> ListLock {
        let lock = try await ListLock.take(container)
        try requirePlace()
        return lock
    }

    /// Refuses a symbolic link in place of a folder of the list. A list whose package is a link would be taken for a folder that is
    /// missing, and so would one in a folder that this user may not search.
    ///
    /// - Throws: ``GroceryError/Code/away`` for a link, and ``DocumentError`` if a folder cannot be looked at.
    func requirePlace() throws {
        do throws(DocumentError) {
            for names in [["Documents"], rootNames(false), rootNames(true), itemNames(true)].prefix(
                listName == nil ? 1 : 4)
            where try PathEntry(path(names))?.kind == .symbolicLink {
                throw DocumentError(
                    code: .symbolicLink,
                    message: "\(DisplayText.escaped(path(names))) is a symbolic link, and nothing below it is opened",
                    path: path(names))
            }
        } catch {
            guard error.code == .symbolicLink else { throw error }
            throw GroceryError(.away, "the list is away: \(error.message)")
        }
    }

    /// Returns the reason for which the list is away; nil if it is here.
    func absence() async -> String? {
        if let absence = await container.absence() { return absence }
        do { try requirePlace() } catch { return (error as? GroceryError)?.message ?? "\(error)" }
        return nil
    }

    /// Makes the folders of the list.
    ///
    /// - Parameter former: The name of the list that becomes this one.
    /// - Throws: ``GroceryError/Code/invalid`` for a new list with a name that other devices cannot hold, and ``DocumentError``.
    func makeFolders(of former: String? = nil) throws {
        let isPackage = isPackage
        if let listName, !forms.contains(where: { FileSystem.exists(path(rootNames($0))) }),
            let obstacle = ListName.obstacle(
                to: listName, beside: ListName.folders(in: path(["Documents"])).filter { $0 != former })
        {
            throw GroceryError(.invalid, "a new list cannot be named '\(DisplayText.escaped(listName))': \(obstacle)")
        }
        _ = try container.folder(itemNames(isPackage))
        if isPackage { _ = try container.folder(pictureNames(true)) }
    }

    /// The path of an item's file: where it is, or where a new one would be.
    package func path(of id: ItemIdentifier) -> String {
        let path = itemsPath + "/" + id.fileName
        if listName == nil || FileSystem.exists(path) { return path }
        return itemPrefixes.map { $0 + id.fileName }.first { FileSystem.exists($0) } ?? path
    }

    /// Whether a name is that of a picture, and not of an item or a version of one.
    func isPicture(_ name: String) -> Bool {
        let isVersionOfItem = ConflictName(name).map {
            ItemIdentifier(fileName: String(decoding: $0.original, as: UTF8.self)) != nil
        }
        return name.contains(".") && isVersionOfItem != true
    }

    // MARK: The change of an item

    var documentOptions: DocumentOptions {
        // Names with identifiers differ by more than case.
        DocumentOptions(followsChanges: false, daemon: container.daemon, checksCase: false)
    }

    /// Changes one item, and returns the step that undoes it; nil if nothing changed.
    ///
    /// - Parameter path: The path of an item of another list in the container; nil for one of this list.
    func change(
        _ id: ItemIdentifier, at path: String? = nil,
        _ change: @escaping @Sendable (inout ItemContents) throws -> Void
    ) async throws -> UndoStep? {
        let lock = try await lock()
        defer { withExtendedLifetime(lock) {} }
        // Under the lock, since a list may be converted meanwhile.
        let path = path ?? self.path(of: id)
        let document = Document<ItemContents>(path: FilePath(path), options: documentOptions)
        try await document.open()
        let before = try await document.contents
        do {
            try await document.edit { contents in
                try change(&contents)
                try contents.check()
                contents = contents.asRead
            }
        } catch {
            try? await document.close(discardsChanges: true)
            throw error
        }
        guard try await document.contents != before else {
            try await document.close(discardsChanges: true)
            return nil
        }
        do {
            let after = try await saveMerging(document, base: before)
            try? await document.close(discardsChanges: true)
            return .edited(id: id, path: path, before: before.text, after: after.text)
        } catch {
            try? await document.close(discardsChanges: true)
            throw error
        }
    }

    /// Saves a document. A version that another program saved since `base` is merged, unless both changed one field.
    private func saveMerging(_ document: Document<ItemContents>, base: ItemContents) async throws -> ItemContents {
        let known = Set(try await document.conflictVersions().map(\.path))
        // All that this save has written. Another program that replaced one of these keeps it as a version, which is not one to merge.
        var own = [try await document.contents]
        try await document.save()
        do {
            try await mergeNewVersions(of: document, base: base, known, &own)
        } catch {
            // The change is saved. A version that could not be read or merged stays in conflict with it.
        }
        return own.last ?? base
    }

    /// Merges versions that other programs saved, until there is no other one.
    private func mergeNewVersions(
        of document: Document<ItemContents>, base: ItemContents, _ known: Set<FilePath>, _ own: inout [ItemContents]
    ) async throws {
        for _ in 0..<GroceryLimits.mergeAttempts {
            guard let mine = own.last,
                let (version, theirs) = try await newVersion(of: document, known, besides: own)
            else { break }
            let (merged, conflicts) = ItemContents.merge(base: base, mine: mine, theirs: theirs)
            guard conflicts.isEmpty else { break }
            try await document.edit { $0 = merged }
            try await document.save()
            own.append(merged)
            do {
                let trash = trash
                _ = try await FileSystem.run { () throws(DocumentError) in try version.move(to: trash) }
            } catch let error as DocumentError {
                // Another program has resolved it, or it is under a new name.
                guard error.code == .invalidVersion || error.code == .notFound else { throw error }
            }
        }
    }

    private func newVersion(
        of document: Document<ItemContents>, _ known: Set<FilePath>, besides own: [ItemContents]
    ) async throws -> (version: FileVersion, contents: ItemContents)? {
        let versions = try await document.conflictVersions().filter { !known.contains($0.path) }
        return try await FileSystem.run {
            for version in versions.reversed() {
                guard let bytes = try? version.contents(), let contents = try? ItemContents(bytes: bytes),
                    !own.contains(contents)
                else { continue }
                return (version, contents)
            }
            return nil
        }
    }
}
