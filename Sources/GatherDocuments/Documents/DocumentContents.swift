// The contents of a document as an application keeps them.
// SPDX-License-Identifier: Apache-2.0

public import GatherKit
internal import SaveFiles

/// The contents of a document as an application keeps them: a value that is made from a file's bytes, and gives them back.
///
/// ```swift
/// struct Note: DocumentContents {
///     var text = ""
///     init(bytes: [UInt8]) throws { text = String(decoding: bytes, as: UTF8.self) }
///     var bytes: [UInt8] { Array(text.utf8) }
/// }
/// ```
public protocol DocumentContents: Sendable {
    /// Takes the contents of a file. An error refuses the file, and the document keeps its former contents.
    init(bytes: [UInt8]) throws

    /// The contents of the file.
    var bytes: [UInt8] { get throws }

    /// Returns the extended attributes that follow from the contents. A save sets them with the contents, in one step. On a file
    /// system without extended attributes there are none. The default is an empty array.
    func derivedAttributes(_ stamp: ContentsStamp) -> [DerivedAttribute]
}

extension DocumentContents {
    /// Returns an empty array.
    public func derivedAttributes(_ stamp: ContentsStamp) -> [DerivedAttribute] { [] }

    /// Reads the contents of a file without opening a document. Blocks the thread.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - setsAttributes: Whether the derived attributes are set, for a file that an editor or another machine wrote. If this
    ///     user may not set them, they stay as they are.
    public static func read(
        _ path: FilePath, settingAttributes setsAttributes: Bool = false
    ) throws(DocumentError) -> (contents: Self, stamp: ContentsStamp) {
        let place = try DocumentPath(path, isVersion: true)
        let folder = try Folder(place.folder)
        var result: Result<Self, DocumentError>?
        let file = try folder.read(place.name) { descriptor, bytes, stamp in
            do {
                let contents = try Self(bytes: bytes)
                result = .success(contents)
                if setsAttributes {
                    FileAccessCopy.set(contents.derivedAttributes(stamp.contents), descriptor)
                }
            } catch {
                result = .failure(
                    DocumentError(
                        code: .invalidContents, message: "cannot use the contents of \(path): \(error)",
                        path: path.string))
            }
        }
        guard let file, let result else {
            throw DocumentError(
                code: .notFound, message: "cannot read \(path): there is no such file", path: path.string)
        }
        return (try result.get(), file.stamp.contents)
    }
}
