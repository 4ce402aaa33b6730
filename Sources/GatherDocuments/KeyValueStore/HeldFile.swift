// A file of a store that is locked.
// SPDX-License-Identifier: Apache-2.0

internal import LinuxSystem

/// A file of a store that is locked, so that no store takes it as its own.
final class HeldFile: Sendable {
    let name: String
    private let file: LockedFile

    init(name: String, file: consuming LockedFile) {
        self.name = name
        self.file = file
    }
}

extension KeyValueDirectory {
    /// Locks all files that no store has open, and returns them. Their locks end with them.
    func holdFiles() throws(DocumentError) -> [HeldFile] {
        var held: [HeldFile] = []
        for name in try names() where KeyValueFileName.isOfStore(name) {
            guard let file = try? LockedFile.locking(existing: name, in: descriptor.number),
                (try? file.descriptor.isEntry(name, in: descriptor.number)) == true
            else { continue }
            held.append(HeldFile(name: name, file: file))
        }
        return held
    }
}
