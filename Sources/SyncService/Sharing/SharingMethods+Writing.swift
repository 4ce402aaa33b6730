// Places where the helper may not write.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import Glibc
import LinuxSystem

extension SharingMethods {
    /// Looks for directories of a folder in which the helper may not write, so that it can claim no versions in conflict there, and
    /// list no saves. Nil if there are none, or if an administrator does not want claims.
    func writeFinding(_ container: String, _ place: FolderPlace, namesItems: Bool) async -> SharingFindingMessage? {
        guard core.options.isClaiming else { return nil }
        var refused: [(path: String, error: SystemError)] = []
        // The second one is no item, and Syncthing may have made it.
        let own = [place.directory, place.directory + "/" + ReplicatedFile.directory]
        if let (path, error) = own.lazy.compactMap({ path in Self.refusal(path).map { (path, $0) } }).first {
            refused = [(path, error)]
        } else if let session = await core.session(container) {
            // Without gatherd there are no sessions.
            let parts = (try? await session.directories(of: place)) ?? []
            refused = parts.sorted().compactMap { part in
                let path = place.directory + "/" + part
                return Self.refusal(path).map { (path, $0) }
            }
        }
        guard let first = refused.first else { return nil }
        let name = namesItems || first.path == place.directory ? first.path : "a directory of \(place.directory)"
        let count = refused.count > 1 ? ", and not in \(refused.count - 1) other directories" : ""
        return SharingFindingMessage(
            kind: "notWritable", container: container,
            message:
                "gather-syncd may not write in \(name)\(count): \(first.error); if three devices change one file there, "
                + "a version can be lost, and other devices do not know what this one saved",
            remedy: Self.writeRemedy(first.error, place.directory, isSystem: core.options.isSystem))
    }

    /// Returns the remedy after which the helper may write in a directory.
    static func writeRemedy(_ error: SystemError, _ directory: String, isSystem: Bool) -> String {
        if !isSystem {
            return error == .readOnly
                ? "mount it for reading and writing" : "chown or chmod it for the user of gather-syncd"
        }
        // The kernel tells of permissions first, and of the sandbox after that.
        let line =
            "add the line ReadWritePaths=\(directory) to a drop-in of gather-syncd.service as gather-syncd(8) has it"
        return error == .readOnly ? line : "make it writable for a group of the user gather-syncd, and \(line)"
    }

    /// Returns why this process may not make or rename entries of a directory; nil if it may, or if the directory is gone.
    private static func refusal(_ directory: String) -> SystemError? {
        guard access(directory, W_OK | X_OK) != 0 else { return nil }
        let error = SystemError(code: errno)
        return error == .noEntry || error == .notDirectory ? nil : error
    }
}
