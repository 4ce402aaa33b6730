// The names of the files that saves write beside a document.
// SPDX-License-Identifier: Apache-2.0

/// A form of the names of files that saves write beside a document. Syncthing never sends files whose names begin like this.
package struct SaveName: Sendable {
    private let prefix: [UInt8]
    private static let suffix = Array(".tmp".utf8)

    private init(_ kind: String) { prefix = Array((SyncthingName.temporaryPrefixes[0] + kind).utf8) }

    /// The complete new file before the exchange with the current one, and the old one after it: `.syncthing.gather-NAME.tmp`.
    package static let complete = SaveName("gather-")
    /// A new file while it is written, where files without a name are not supported.
    package static let partial = SaveName("gather.part-")
    /// An old package between two renames, where packages cannot be exchanged.
    package static let former = SaveName("gather.old-")
    /// A file that is evicted, between its rename and its removal. It stands for no document: other devices have it.
    package static let evicted = SaveName("gather.evict-")

    /// The folder for the copy of an entry that moves to another file system.
    package static let moving = SaveName("gather.move-")
    /// The list of a package's entries, in the new package until the old one is gone. It is the temporary name of no document.
    package static let manifest = Array((SyncthingName.temporaryPrefixes[0] + "gather.save.tmp").utf8)

    /// Returns the name for a document of this name.
    package func of(_ document: [UInt8]) -> [UInt8] { prefix + document + SaveName.suffix }

    /// Returns the name of the document; nil if a name does not have the form.
    package func document(of name: [UInt8]) -> [UInt8]? {
        guard name.count > prefix.count + SaveName.suffix.count, name.starts(with: prefix),
            name.suffix(SaveName.suffix.count).elementsEqual(SaveName.suffix)
        else { return nil }
        return Array(name[prefix.count..<name.count - SaveName.suffix.count])
    }

    /// Whether a name is the one for a document of this name. Allocates nothing.
    package func isName(_ name: some Collection<UInt8>, of document: some Collection<UInt8>) -> Bool {
        name.count == prefix.count + document.count + SaveName.suffix.count && name.starts(with: prefix)
            && name.dropFirst(prefix.count).starts(with: document)
            && name.dropFirst(prefix.count + document.count).elementsEqual(SaveName.suffix)
    }
}
