// The package on disk from which files are read when they are needed.
// SPDX-License-Identifier: Apache-2.0

internal import SaveFiles

/// A package on disk as it was when it was listed. Its descriptor follows a rename. After a save by another program the path leads
/// to the new package, whose unchanged files are the same.
final class PackageSource: Sendable {
    let path: [UInt8]
    private let root: Folder

    init(path: [UInt8], root: consuming Folder) {
        self.path = path
        self.root = root
    }

    /// Returns the contents of a file, if it is still the one with this stamp.
    ///
    /// - Throws: ``DocumentError/Code/invalidVersion`` if it is gone, or has changed.
    func read(_ relative: [UInt8], _ stamp: FileStamp) throws(DocumentError) -> [UInt8] {
        if let bytes = try PackageSource.read(relative, stamp, in: root) { return bytes }
        if let folder = try? Folder(path), let bytes = try PackageSource.read(relative, stamp, in: folder) {
            return bytes
        }
        let text = String(decoding: DocumentPath.join(path, relative), as: UTF8.self)
        throw DocumentError(
            code: .invalidVersion, message: "cannot read \(text): it has changed since the package was loaded",
            path: text)
    }

    private static func read(
        _ relative: [UInt8], _ stamp: FileStamp, in root: borrowing Folder
    ) throws(DocumentError) -> [UInt8]? {
        do throws(DocumentError) {
            let (parent, name) = PackagePath.split(relative)
            let file: LoadedFile?
            if parent.isEmpty {
                file = try root.read(name)
            } else {
                file = try Folder(parent, in: root).read(name)
            }
            guard let file, file.stamp.hasSameContents(as: stamp) else { return nil }
            return file.bytes
        } catch {
            // Another kind of entry has the name now.
            guard [.notFound, .notADocument, .symbolicLink].contains(error.code) else { throw error }
            return nil
        }
    }
}
