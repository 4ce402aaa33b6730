// The names in a shared folder that belong to Syncthing and to its helper.
// SPDX-License-Identifier: Apache-2.0

/// The names in a shared folder that belong to Syncthing and to its helper. They are no files of a user, and Syncthing sends none but
/// those in the helper's directory.
package enum SyncthingName {
    /// The entry by which Syncthing knows that the folder is there, such as that its disk is mounted.
    package static let marker = ".stfolder"
    /// The file with the patterns of names that Syncthing ignores.
    package static let patterns = ".stignore"
    /// The archive of replaced and removed files.
    package static let archive = ".stversions"
    /// The directory with the files that the helpers of all devices exchange.
    package static let ofHelper = ".gather-sync"
    /// The beginnings of the names of files that are being received or saved. The first one is that of Unix, and of ``SaveName``.
    package static let temporaryPrefixes = [".syncthing.", "~syncthing~"]

    private static let names = [marker, patterns, archive, ofHelper].map { Array($0.utf8) }
    private static let prefixes = temporaryPrefixes.map { Array($0.utf8) }

    /// Globs of all these names.
    package static let globs = [marker, patterns, archive] + temporaryPrefixes.map { $0 + "*" } + [ofHelper]

    /// Whether a name is one of a file that is being received or saved. Allocates nothing.
    package static func isTemporary(_ name: some Collection<UInt8>) -> Bool {
        for prefix in prefixes where name.starts(with: prefix) { return true }
        return false
    }

    /// Whether a name is one of all these. Allocates nothing.
    package static func isName(_ name: some Collection<UInt8>) -> Bool {
        for own in names where own.count == name.count && name.elementsEqual(own) { return true }
        return isTemporary(name)
    }

    /// The reason for which a document cannot have the name of a temporary file, for messages.
    package static let refusal =
        "names that begin with \(temporaryPrefixes[0]) or \(temporaryPrefixes[1]) are those of files that are being saved"
}
