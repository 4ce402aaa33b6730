// Whether the directory of a container is there.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Metadata

/// Whether the directory of a container is there and is the container's own, and the reason where it is not.
struct RootPlace {
    /// Why the container is unavailable; nil while it is not.
    private(set) var failure: SystemError? = .noEntry
    /// Why the directory, which is there, cannot be read.
    private(set) var readError: SystemError?
    /// Whether a file system is mounted on the directory, which stands for nothing without that.
    private(set) var isMountPoint: Bool
    /// Whether that file system is not there any more.
    private(set) var isUnmounted = false
    /// Where it lies in another container.
    private(set) var enclosure: Enclosure?
    /// Whether it is no container of its own for that.
    private(set) var isEnclosed = false
    /// The mark by which the container is known; nil for none.
    private(set) var mark: ContainerMark?
    /// Why the directory that is there is not taken for the container; nil if it is.
    private(set) var stranger: ContainerStranger?
    /// The file of the mark, as it was read last.
    private(set) var tokenFile: ContainerTokenFile?
    /// Whether something has happened to the file of the mark, or its folder.
    var hasNewsOfMark = false
    /// The directory that was judged last.
    private var judged: FileIdentity?
    /// Whether it is without the file system that was mounted on it.
    private var lacksMount = false
    /// Whether the directory that is found by this look is the container's, whatever its mark is.
    var accepts = false

    init(isMountPoint: Bool = false, enclosure: Enclosure? = nil, mark: ContainerMark? = nil) {
        (self.isMountPoint, self.enclosure, self.mark) = (isMountPoint, enclosure, mark)
    }

    /// Whether the directory is there and can be read.
    var isReadable: Bool { failure == nil && readError == nil && !isEnclosed && !isUnmounted && stranger == nil }

    /// Returns whether another container, or none, is around it from now on.
    mutating func setEnclosure(_ enclosure: Enclosure?) -> Bool {
        defer { self.enclosure = enclosure }
        return self.enclosure != enclosure
    }

    // MARK: Looking

    /// The findings of the last look that say of whom the directory is.
    struct Findings {
        fileprivate let isEnclosed: Bool
        fileprivate let stranger: ContainerStranger?
    }

    /// Begins a look at the directory. Returns the findings of the last one, for ``endLook(after:_:)``.
    mutating func beginLook() -> Findings {
        defer { (isEnclosed, stranger) = (false, nil) }
        return Findings(isEnclosed: isEnclosed, stranger: stranger)
    }

    /// The directory was found. If its file system is gone, an empty one is left, which says nothing about the entries
    /// of that.
    mutating func foundDirectory(isMountRoot: Bool) {
        lacksMount = isMountPoint && !isMountRoot
        isUnmounted = lacksMount && !accepts
    }

    /// Whether it belongs to the container around it. Returns whether it is the container's own.
    mutating func found(isEnclosed: Bool) -> Bool {
        self.isEnclosed = isEnclosed
        return !isUnmounted && !isEnclosed
    }

    /// Whether the file of the mark is to be looked at. A directory that is watched tells when one comes.
    func wantsMark(ofKnownRoot isKnown: Bool) -> Bool { !isKnown || mark != nil || hasNewsOfMark || tokenFile == nil }

    /// Judges the directory that is there by its mark. A container without a mark takes whatever is at its path.
    ///
    /// - Parameter directory: Its identity, if the file system tells it from others after a restart.
    /// - Returns: Whether it is the container's own.
    mutating func judge(_ file: ContainerTokenFile, in directory: FileIdentity?, isWatched: Bool) -> Bool {
        (tokenFile, judged, hasNewsOfMark) = (file, directory, false)
        stranger = accepts ? nil : mark?.stranger(file.finding, in: directory, isWatched: isWatched)
        return stranger == nil
    }

    /// The directory that was judged last is the container's from now on, with its mark.
    mutating func take() {
        if accepts, lacksMount { isMountPoint = false }
        let token = tokenFile?.finding.token ?? (accepts ? nil : mark?.token)
        mark = token.map { ContainerMark($0, in: judged) }
        accepts = false
    }

    /// A file system is mounted on the directory, and has the container's entries.
    mutating func foundMount() { isMountPoint = true }

    /// The look has failed. Where that is for want of something, it says nothing of whom the directory is.
    mutating func endLook(after error: SystemError, _ findings: Findings) {
        if error.isShortage { (isEnclosed, stranger) = (findings.isEnclosed, findings.stranger) }
    }

    // MARK: Loss

    /// The container is available.
    mutating func found() { failure = nil }

    /// The container is unavailable, or is so for another reason.
    mutating func failed(_ error: SystemError) { failure = error }

    /// The directory is gone.
    mutating func lost(_ error: SystemError) { (failure, readError) = (error, nil) }

    /// The directory is there, and cannot be read, or can again.
    mutating func setReadError(_ error: SystemError?) { readError = error }

    /// The reason of the container's state; nil while it is available.
    func reason(_ mounts: ContainerMounts) -> String? {
        if isEnclosed, let enclosure { return enclosure.reason }
        if isUnmounted { return "its file system is not mounted" }
        if let stranger { return stranger.reason }
        if failure?.isOfMount == true, mounts.holdsContainer, let reason = mounts.reason { return reason }
        return (failure ?? readError)?.description
    }
}
