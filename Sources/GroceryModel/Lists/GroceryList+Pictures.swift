// Pictures of items.
// SPDX-License-Identifier: Apache-2.0

internal import GatherDocuments

/// The bytes of a picture.
private struct Picture: DocumentContents {
    var bytes: [UInt8]

    init(bytes: [UInt8]) { self.bytes = bytes }
}

extension GroceryList {
    /// Returns the path of an item's picture; nil without one.
    package func picturePath(of id: ItemIdentifier) async throws -> String? {
        ownPicture(try await contents(of: id), of: id)
    }

    /// Returns the path of the picture that an item names. Its name has the item's identifier: any program may write the line, and a
    /// line that names another file must neither show nor remove that.
    func ownPicture(_ contents: ItemContents, of id: ItemIdentifier) -> String? {
        guard let name = contents.picture, GroceryList.isPicture(name, of: id) else { return nil }
        // While a list is converted, its pictures are in both places.
        return ([picturesPath] + pictureFolders).map { $0 + "/" + name }.first { FileSystem.isRegularFile($0) }
    }

    /// Whether a name is that of a picture of an item.
    static func isPicture(_ name: String, of id: ItemIdentifier) -> Bool {
        (name.hasPrefix(id.fileName + ".") || name.hasPrefix(id.fileName + "-")) && !name.contains("/")
            && !name.contains("\0") && ConflictName(name) == nil
    }

    /// Returns the bytes of an item's picture; nil without one.
    package func picture(of id: ItemIdentifier) async throws -> [UInt8]? {
        guard let path = try await picturePath(of: id) else { return nil }
        return try await FileSystem.run { () throws(DocumentError) in try Picture.read(FilePath(path)).contents.bytes }
    }

    /// Gives an item a picture, or removes it. The former one goes to the trash.
    ///
    /// - Parameter bytes: The file of the picture. It is prepared as ``PreparedPicture`` says.
    package func setPicture(_ bytes: [UInt8]?, of id: ItemIdentifier) async throws {
        let contents = try await contents(of: id)
        var (name, bytes) = (String?.none, bytes)
        if let file = bytes {
            guard file.count <= GroceryLimits.pictureBytes else {
                throw GroceryError(.invalid, "the picture has more than \(GroceryLimits.pictureBytes) bytes")
            }
            let prepared = try await FileSystem.runOnPicture { () throws(GroceryError) in
                try PreparedPicture.bytes(file)
            }
            guard let ending = GroceryList.ending(prepared) else {
                throw GroceryError(.invalid, "the picture cannot be prepared")
            }
            bytes = prepared
            // A name of its own for each picture, so that the former one stays until the item names the new one.
            name = "\(id.fileName)-\(ItemIdentifier.random().short).\(ending)"
        }
        var steps: [UndoStep] = []
        if let bytes, let name {
            steps.append(.added(path: try await create(Picture(bytes: bytes), name), text: nil))
        }
        let picture = name
        if let step = try await change(id, { $0.picture = picture }) { steps.append(step) }
        if let former = ownPicture(contents, of: id) {
            let trash = trash
            steps.append(
                .trashed(
                    try await FileSystem.run { () throws(DocumentError) in try trash.move(FilePath(former)) }))
        }
        try await undoLog.record("\(name == nil ? "remove" : "set") picture of \(contents.name)", steps)
    }

    /// Makes the file of a picture, and returns its path.
    private func create(_ picture: Picture, _ name: String) async throws -> String {
        let lock = try await lock()
        defer { withExtendedLifetime(lock) {} }
        try await FileSystem.run { [self] in try makeFolders() }
        let path = picturesPath + "/" + name
        let document = Document<Picture>(path: FilePath(path), options: documentOptions)
        try await document.create(picture)
        try await document.close()
        return path
    }

    /// Returns the ending of a picture's name by its first bytes; nil for another file.
    static func ending(_ bytes: [UInt8]) -> String? {
        func has(_ text: String, at position: Int) -> Bool { bytes.dropFirst(position).starts(with: text.utf8) }
        if bytes.starts(with: [0xFF, 0xD8, 0xFF]) { return "jpg" }
        if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return "png" }
        if has("GIF8", at: 0) { return "gif" }
        if has("RIFF", at: 0), has("WEBP", at: 8) { return "webp" }
        if has("ftyp", at: 4) {
            if has("avif", at: 8) || has("avis", at: 8) { return "avif" }
            // The brands of ISO/IEC 23008-12, for pictures and for bursts of them.
            let brands = ["heic", "heix", "heim", "heis", "hevc", "hevx", "hevm", "hevs", "mif1", "mif2", "msf1"]
            if brands.contains(where: { has($0, at: 8) }) { return "heic" }
        }
        return nil
    }
}
