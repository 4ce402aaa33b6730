// Reading the items of a list through the daemon.
// SPDX-License-Identifier: Apache-2.0

internal import GatherDocuments

extension GroceryList {
    static let attributes: [Attribute] = [
        .path, .size, .modified, .extended(ItemSummary.attributeName), .owner, .conflictVersions,
    ]

    /// A query that names the attribute looks into packages, too.
    static let anywhere = "inPackage IN {TRUE, FALSE}"

    /// The predicate of the items in the list and in the folders below it.
    var predicate: String {
        whole("name BEGINSWITH 'Item_' AND kind == 'file' AND NOT name CONTAINS '.'")
    }

    /// Returns a predicate that looks into the package which a list may be.
    func whole(_ predicate: String) -> String {
        listName == nil ? predicate : "(\(predicate)) AND \(GroceryList.anywhere)"
    }

    /// The scope of the query, in which a missing folder is empty.
    var scope: SearchScope { .documents(ofContainer: container.identifier) }

    /// Returns the items, in no order. The daemon's answer reflects every change made before the call.
    ///
    /// - Throws: ``GroceryError/Code/away`` if the container is away, ``GroceryError/Code/notFound`` if there is no list of this name.
    package func items() async throws -> [GroceryItem] {
        let found = try await container.client.find(predicate, scopes: [scope], attributes: GroceryList.attributes)
        if found.inexactContainers.contains(container.identifier) { try await container.requirePresent() }
        var items: [GroceryItem] = []
        items.reserveCapacity(found.items.count)
        let prefixes = itemPrefixes
        var unread: [Listed] = []
        for found in found.items {
            guard let listed = listed(found, below: prefixes) else { continue }
            if listed.isWhole { items.append(listed.item) } else { unread.append(listed) }
        }
        let tags = try await tags(of: unread)
        for listed in unread {
            if let item = try await completed(listed, tags: tags[listed.item.path]) { items.append(item) }
        }
        if items.isEmpty { try await requireList() }
        return items
    }

    /// Returns whether the list exists. The first item makes it. A list that is being converted has two forms for a moment.
    ///
    /// - Throws: ``GroceryError/Code/away`` if the container is away.
    package func exists() async throws -> Bool {
        try requirePlace()
        if listName == nil || itemPrefixes.contains(where: { FileSystem.isFolder($0) }) { return true }
        try await container.requirePresent()
        return false
    }

    /// Refuses a list that does not exist.
    func requireList() async throws {
        guard try await !exists(), let listName else { return }
        throw GroceryError(
            .notFound, "there is no list '\(DisplayText.escaped(listName))'; 'grocery lists' names those there are")
    }

    /// Returns the tags in the attributes of files by their paths, if there are files without a summary. Files are seldom without one, so the
    /// tags are no part of each answer.
    private func tags(of listed: [Listed]) async throws -> [String: [String]] {
        guard listed.contains(where: { !$0.hasSummary }) else { return [:] }
        let found = try await container.client.find(predicate, scopes: [scope], attributes: [.path, .tags])
        return Dictionary(found.items.compactMap { item in item.path.map { ($0, item.tags ?? []) } }) { first, _ in
            first
        }
    }

    /// Returns the identifiers of the items whose files match a predicate of the query language.
    package func identifiers(matching predicate: String) async throws -> Set<ItemIdentifier> {
        let prefixes = itemPrefixes
        let found = try await container.client.find(whole(predicate), scopes: [scope], attributes: [.path])
        return Set(found.items.compactMap { $0.path.flatMap { identifier(ofPath: $0, below: prefixes) } })
    }

    /// Returns the identifier of the item whose file has a path; nil for another file.
    func identifier(ofPath path: String, below prefixes: [String]) -> ItemIdentifier? {
        guard let prefix = prefixes.first(where: { path.utf8.starts(with: $0.utf8) }) else { return nil }
        return ItemIdentifier(fileName: Substring(path.utf8.dropFirst(prefix.utf8.count)))
    }

    /// Returns the item of a file that a live query with the tags lists. Nil if the file is none of this list, or is gone.
    func item(_ found: MetadataItem, below prefixes: [String]) async throws -> GroceryItem? {
        guard let listed = listed(found, below: prefixes) else { return nil }
        return listed.isWhole ? listed.item : try await completed(listed, tags: found.tags)
    }

    /// An item as the daemon's answer tells of it.
    private struct Listed {
        var item: GroceryItem
        /// Whether the answer has a summary of the present contents.
        var isWhole: Bool
        /// Whether it has a summary of any contents.
        var hasSummary: Bool
        var size: Int64
    }

    /// Returns what the daemon's answer tells of an item; nil for a file that is none of this list. For 10,000 items, an
    /// asynchronous call for each would be felt.
    private func listed(_ found: MetadataItem, below prefixes: [String]) -> Listed? {
        let values = found.orderedValues(forAttributes: GroceryList.attributes)
        // The name comes from the path. A path that is not UTF-8 has U+FFFD here, and is none of ours.
        guard case .string(let path) = values[0], let id = identifier(ofPath: path, below: prefixes),
            case .integer(let size) = values[1], case .date(let modified) = values[2]
        else { return nil }
        var (value, owner, conflictVersions): (String?, String?, Int) = (nil, nil, 0)
        if case .string(let text) = values[3] { value = text }
        if case .string(let name) = values[4] { owner = name }
        if case .integer(let count) = values[5] { conflictVersions = Int(count) }
        let summary = value.flatMap { ItemSummary($0, ContentsStamp(size: size, modified: modified)) }
        let item = GroceryItem(
            id: id, path: path, summary: summary ?? ItemSummary(unreadable: id), modified: modified, owner: owner,
            conflictVersions: conflictVersions)
        return Listed(item: item, isWhole: summary != nil, hasSummary: value != nil, size: size)
    }

    /// Returns an item with the summary that its file gives; nil if the file is gone.
    private func completed(_ listed: Listed, tags: [String]?) async throws -> GroceryItem? {
        let item = listed.item
        // A large file is none of ours, and not worth its reading.
        if listed.size > Int64(GroceryLimits.fileBytes) { return item }
        guard let summary = try await read(item.id, item.path, hasSummary: listed.hasSummary, tags: tags ?? []) else {
            return nil
        }
        return GroceryItem(
            id: item.id, path: item.path, summary: summary, modified: item.modified, owner: item.owner,
            conflictVersions: item.conflictVersions)
    }

    /// Reads the file of an item without a summary of its present contents, and writes that.
    private func read(
        _ id: ItemIdentifier, _ path: String, hasSummary: Bool, tags: [String]
    ) async throws -> ItemSummary? {
        var contents: ItemContents
        do {
            contents = try await FileSystem.run { () throws(DocumentError) in
                try ItemContents.read(FilePath(path), settingAttributes: true).contents
            }
        } catch let error as DocumentError {
            // A file that cannot be read is shown all the same, so that its user can mend it. One such file must not hide the others.
            return error.code == .notFound ? nil : ItemSummary(unreadable: id)
        }
        // Other programs set tags in the attribute only. A list that is read-only, or full, is shown without the change.
        if !hasSummary, contents.tags.isEmpty, !tags.isEmpty {
            contents.tags = tags
            _ = try? await change(id) { if $0.tags.isEmpty { $0.tags = tags } }
        }
        return ItemSummary(contents)
    }

    /// Returns the contents of an item's file.
    package func contents(of id: ItemIdentifier) async throws -> ItemContents {
        var path = path(of: id)
        while true {
            do {
                return try await FileSystem.run { [path] () throws(DocumentError) in
                    try ItemContents.read(FilePath(path)).contents
                }
            } catch let error as DocumentError where error.code == .notFound {
                // The list may have been converted meanwhile. A list whose package is exchanged for a link is not without its items.
                let now = self.path(of: id)
                try requirePlace()
                guard now != path else { throw error }
                path = now
            }
        }
    }
}
