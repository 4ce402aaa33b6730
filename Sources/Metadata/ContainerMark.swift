// The mark of a container, the directory that has it, and how they tell the container from others.
// SPDX-License-Identifier: Apache-2.0

/// The mark by which a container is known, and the directory that was last taken for it. To be kept for the next start.
package struct ContainerMark: Hashable, Sendable {
    /// The contents of the file of a mark.
    package enum Finding: Hashable, Sendable {
        case token(ContainerToken)
        /// There is no file, or what is there is no mark.
        case none
        /// The file, or its folder, cannot be read.
        case unreadable

        /// The mark, if there is one.
        package var token: ContainerToken? { if case .token(let token) = self { token } else { nil } }
    }

    package let token: ContainerToken
    /// The directory; nil where the file system does not tell it from others after a restart.
    package let directory: FileIdentity?

    package init(_ token: ContainerToken, in directory: FileIdentity?) {
        (self.token, self.directory) = (token, directory)
    }

    /// Returns the identity of a directory, if it tells the directory from every other one, also after a restart.
    ///
    /// The top directory of a file system has the inode number that all of its kind have, and is born when that was made: with ext4 in
    /// whole seconds, with some versions of Btrfs at 0. So a birth in a whole second tells nothing.
    ///
    /// - Parameter isKept: Whether the file system keeps inode numbers and birth times.
    package static func directory(_ identity: FileIdentity, isKept: Bool) -> FileIdentity? {
        guard isKept, let created = identity.created, created.nanoseconds % 1_000_000_000 != 0 else { return nil }
        return identity
    }

    /// The device, the inode number and the birth time of ``directory``, in text; nil without one.
    package var directoryText: String? {
        directory.map { "\($0.device) \($0.inode) \($0.created.map { "\($0.nanoseconds)" } ?? "-")" }
    }

    /// Reads ``directoryText``; nil for another text.
    package static func directory(_ text: String) -> FileIdentity? {
        let parts = text.split(separator: " ")
        guard parts.count == 3, let device = UInt64(parts[0]), let inode = UInt64(parts[1]) else { return nil }
        let created = Int64(parts[2]).map { Timestamp(nanoseconds: $0) }
        guard created != nil || parts[2] == "-" else { return nil }
        return FileIdentity(device: device, inode: inode, created: created)
    }

    /// Judges a directory that is at the container's path. The one that is known, or watched without a break, stays the container,
    /// whatever has become of the file: who may write there may change all else, too.
    ///
    /// - Parameter directory: Its identity, if the file system tells it from others after a restart.
    /// - Returns: Why it is another one; nil if it is the container's own.
    package func stranger(
        _ finding: Finding, in directory: FileIdentity?, isWatched: Bool = false
    ) -> ContainerStranger? {
        // A new directory may have the inode number of the one that was watched. Its birth time is another one.
        let isKnown = isOf(directory)
        if isKnown ?? isWatched { return nil }
        switch finding {
        case .token(let token):
            if token != self.token { return .another }
            return isKnown == nil ? nil : .copy
        case .none: return .unmarked
        case .unreadable: return .unreadable
        }
    }

    /// Whether a directory is the one that was taken last; nil if that cannot be told. Its file system may have another number since.
    private func isOf(_ found: FileIdentity?) -> Bool? {
        guard let directory, let found else { return nil }
        return directory.inode == found.inode && directory.created == found.created
    }
}
