// The two parts of a container.
// SPDX-License-Identifier: Apache-2.0

/// A part of a container.
public enum ContainerScope: Sendable, Hashable {
    /// The files of the user, in `Documents`.
    case documents
    /// All other files, such as those that an application keeps for itself.
    case data

    /// The name of the folder with the documents.
    static let documentsName = "Documents"
    /// The name of the folder with Gather's own files.
    static let ownName = ArchiveName.own

    /// The names of the folder in which the scope lies.
    var folder: [String] { self == .documents ? [ContainerScope.documentsName] : [] }

    /// Whether a text can be the name of a folder.
    static func isName(_ text: String) -> Bool {
        !text.isEmpty && text != "." && text != ".." && !text.utf8.contains { $0 == 0x2F || $0 == 0 }
    }

    /// Whether an entry of the scope's own folder belongs to the scope.
    func has(_ name: [UInt8]) -> Bool {
        self == .documents
            || name != Array(ContainerScope.documentsName.utf8) && name != Array(ContainerScope.ownName.utf8)
    }
}
