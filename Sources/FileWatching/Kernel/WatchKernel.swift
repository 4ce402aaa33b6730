// The system calls that the watcher makes, as a parameter, so that a test can play the kernel.
// SPDX-License-Identifier: Apache-2.0

package import LinuxSystem
package import Metadata

/// The kernel as the watcher sees it. Directories are open descriptors, given as numbers: ``OpenDirectory`` owns them.
/// The calls on directories come from the crawling threads too; ``readEvents(atMost:)`` comes from the loop only.
package protocol WatchKernel: AnyObject, Sendable {
    /// Nanoseconds of a clock that never goes back.
    func now() -> UInt64

    /// Nanoseconds of processor time that the calling thread has had.
    func processorTime() -> UInt64

    /// How many events the queue takes before it overflows.
    var queueLimit: Int { get }

    /// Reads inotify records, and returns whole ones of those that were not taken, `limit` bytes at most. They stay where they are
    /// until the next call.
    func readEvents(atMost limit: Int) throws(SystemError) -> UnsafeRawBufferPointer

    /// Gives back the last bytes of the records that were returned: they are returned again, with the records after
    /// them.
    func giveBack(_ count: Int)

    /// Bytes of the records that were not taken, in the queue and of those that were read.
    func queuedBytes() throws(SystemError) -> Int

    /// Has ``readEvents(atMost:)`` give the events queued now, at the beginning, where others read otherwise.
    func readAhead() throws(SystemError)

    /// The inodes of all watches that there are; nil where that cannot be told. Takes its time; from any thread.
    func watches() -> [Int32: UInt64]?

    /// Opens a directory by an absolute path, symlinks followed.
    func openDirectory(at path: UnsafePointer<CChar>, access: Directory.Access) throws(SystemError) -> CInt

    /// Opens a directory below another, through no symlink and no mount point.
    func openDirectory(
        _ path: UnsafePointer<CChar>, beneath directory: CInt, access: Directory.Access
    ) throws(SystemError) -> CInt

    /// Closes a directory.
    func close(_ directory: CInt)

    /// Returns the status of an entry of a directory; an empty name asks for the directory itself. Symlinks are not
    /// followed.
    func status(of name: UnsafePointer<CChar>, in directory: CInt) throws(SystemError) -> KernelStatus

    /// The same of an entry that is about to be entered, or is no directory: the reader of a directory finds out its
    /// access control list itself.
    func entryStatus(of name: UnsafePointer<CChar>, in directory: CInt) throws(SystemError) -> KernelStatus

    /// Whether access control lists matter to anybody. Then ``status(of:in:)`` reads them for directories.
    var readsAccessLists: Bool { get }

    /// The access control list of an entry, or of a directory itself for an empty name, which belongs to this owner; `none`
    /// where lists do not matter.
    func accessList(of name: UnsafePointer<CChar>, in directory: CInt, owner: UInt32) -> AccessListID

    /// Reads the target of a symlink in a directory, and returns its length.
    func readSymlink(
        _ name: UnsafePointer<CChar>, in directory: CInt, into buffer: UnsafeMutableRawBufferPointer
    ) throws(SystemError) -> Int

    /// The next directory records (`linux_dirent64`); 0 at the end.
    func readEntries(of directory: CInt, into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int

    /// Returns when the renames out of a directory, or in it, that are under way now have queued both their events.
    func finishRenames(in directory: CInt)

    /// Reads the mark of the container whose directory is open, unless the file is as it was read before.
    ///
    /// - Throws: Errors that say nothing of the directory: a shortage, and a mount that does not answer.
    func containerToken(in directory: CInt, known: ContainerTokenFile?) throws(SystemError) -> ContainerTokenFile

    /// The path of an open directory without symbolic links; nil where it has none or that cannot be told. Does no I/O.
    func path(of directory: CInt) -> String?

    /// Watches a directory that was opened for reading.
    func addWatch(on directory: CInt, mask: InotifyMask) throws(SystemError) -> Int32

    /// Ends a watch.
    func removeWatch(_ watch: Int32) throws(SystemError)

    /// The type of the file system that an open directory lies in; nil where that cannot be told.
    func fileSystemType(of directory: CInt) -> FileSystemType?

    /// How many watches a user may have (`fs.inotify.max_user_watches`); nil where that cannot be told. The limit in
    /// force may be lower.
    func userWatchLimit() -> Int?

    /// Whether something was mounted or unmounted since this was asked last, as far as that can be told.
    func haveMountsChanged() -> Bool

    /// Returns the mounts and their places.
    func mounts() throws(SystemError) -> Set<Mount>

    /// The mounts that were asked for something and do not answer. Calls on them fail with an error at once.
    func unreachableMounts() -> [UnreachableMount]

    /// Changes whenever ``unreachableMounts()`` may have. Cheap.
    var reachabilityVersion: UInt64 { get }

    /// Sets the function that is called, from any thread, when a call has returned that was given up.
    func onLateAnswer(_ wake: @escaping @Sendable () -> Void)

    /// Takes the results of calls that were given up. Returns whether one of them is a reason to ask the mounts at once.
    func takeLateAnswers() -> Bool

    /// The number of the mount that may hang on which an open directory lies; nil for none.
    func mount(ofOpen directory: CInt) -> Int?

    /// Ends all calls that wait for the server of a mount, and lets no more begin.
    func interruptMounts()

    /// An absolute path with its symlinks followed, up to the first mount that may hang; nil where it does not exist before
    /// that. The path ends with a NUL.
    func resolvedPath(_ path: [CChar]) -> [UInt8]?

    /// Reads the facts about an entry that take system calls of their own: writes its `ExtraAttributes` to the buffer
    /// of ``WatchLimits/xattrBuffer`` bytes, and returns their length. Attributes that may not be read, or are too
    /// large, are as good as missing; an error means that nothing can be said of any. An empty name means the directory
    /// itself.
    func readXattrs(
        of name: UnsafePointer<CChar>, kind: FileKind, in directory: CInt, into buffer: UnsafeMutableRawBufferPointer
    ) throws(SystemError) -> Int
}

/// A kernel without access lists, handover and marks of containers, on which every mount answers.
extension WatchKernel {
    package func path(of directory: CInt) -> String? { nil }
    package func containerToken(
        in directory: CInt, known: ContainerTokenFile?
    ) throws(SystemError) -> ContainerTokenFile { ContainerTokenFile(.none) }
    package func unreachableMounts() -> [UnreachableMount] { [] }
    package var reachabilityVersion: UInt64 { 0 }
    package func onLateAnswer(_ wake: @escaping @Sendable () -> Void) {}
    package func takeLateAnswers() -> Bool { false }
    package func mount(ofOpen directory: CInt) -> Int? { nil }
    package func interruptMounts() {}
    package func resolvedPath(_ path: [CChar]) -> [UInt8]? { path.dropLast().map(UInt8.init(bitPattern:)) }
    package func readAhead() throws(SystemError) {}
    package func watches() -> [Int32: UInt64]? { nil }
    package var readsAccessLists: Bool { false }
    package func accessList(of name: UnsafePointer<CChar>, in directory: CInt, owner: UInt32) -> AccessListID { .none }
    package func entryStatus(
        of name: UnsafePointer<CChar>, in directory: CInt
    ) throws(SystemError) -> KernelStatus { try status(of: name, in: directory) }
}

extension WatchKernel {
    /// The extended attributes of an entry whose status was asked for before: their bytes, which lie in the buffer. If it has some,
    /// its status gets its access control list, and is asked for again behind both, until nothing has come in between:
    /// values of one moment never stand under the mode or the list of another. Nil where that does not end, or where
    /// the entry is gone: events tell the rest.
    func readXattrs(
        of name: UnsafePointer<CChar>, _ status: inout KernelStatus, in directory: CInt,
        into buffer: UnsafeMutableRawBufferPointer
    ) throws(SystemError) -> UnsafeRawBufferPointer? {
        for _ in 0..<WatchLimits.xattrAttempts {
            let length = try readXattrs(of: name, kind: status.file.kind, in: directory, into: buffer)
            let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<length])
            if bytes.isEmpty || status.file.kind == .symlink { return bytes }
            let list = accessList(of: name, in: directory, owner: status.file.owner)
            var now: KernelStatus
            do throws(SystemError) {
                now = try entryStatus(of: name, in: directory)
            } catch {
                if error == .noEntry { return nil }
                throw error
            }
            now.file.accessList = list
            let isSame =
                now.file.inode == status.file.inode && now.file.device == status.file.device
                && now.file.changed == status.file.changed
            status = now
            if isSame { return bytes }
        }
        return nil
    }
}

/// The kernel's facts about an entry.
package struct KernelStatus: Sendable {
    package var file: FileStatus
    /// Whether a file system is mounted on it, or it is the daemon's own: it is not entered.
    package var isMountRoot: Bool

    package init(file: FileStatus, isMountRoot: Bool) {
        self.file = file
        self.isMountRoot = isMountRoot
    }
}
