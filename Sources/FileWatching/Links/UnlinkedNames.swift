// Names that files were opened by and have no more, and where those files lie now.
// SPDX-License-Identifier: Apache-2.0

import Metadata

/// Finds a file by a name that it had.
///
/// The kernel reports a write through a descriptor at the directory and the name that the file was opened by. After
/// `link(2)` and `unlink(2)` the file has another name, of which there is no event. A file of `O_TMPFILE` is reported as `#`
/// and its inode number (`d_mark_tmpfile` of Linux). All that is kept here is bounded: with more, the oldest is forgotten.
struct UnlinkedNames {
    /// A name in a directory. Two names with one hash cost a look-up too many.
    struct Name: Hashable {
        var directory: DirectoryID
        /// As of ``LookUpQueue``.
        var hash: UInt32
    }

    /// Names, and files with their places, that are kept.
    static let limit = 4_096
    /// Files that are looked at again for a write to a name that was never seen.
    static let latestLimit = 256

    private var names = RecentValues<Name, InodeNumber>(limit: limit)
    private var places = RecentValues<InodeNumber, TreeNode>(limit: limit)
    private var nextLatest = 0
    /// The files that came last, in no order.
    private(set) var latest: [TreeNode] = []
    /// Names that are not there and whose content has changed, of files that are not known.
    private var unresolved: [(name: Name, origin: Origin)] = []

    var hasNames: Bool { !names.isEmpty }

    /// A file has got a name.
    mutating func came(_ file: FileStatus, _ node: TreeNode) {
        guard file.kind == .file else { return }
        places[InodeNumber(device: file.device, inode: file.inode)] = node
        if latest.count < UnlinkedNames.latestLimit {
            latest.append(node)
        } else {
            latest[nextLatest] = node
            nextLatest = (nextLatest + 1) % UnlinkedNames.latestLimit
        }
    }

    /// A file has lost a name, and may have others.
    mutating func lost(_ name: Name, of file: FileStatus) {
        guard file.kind == .file else { return }
        names[name] = InodeNumber(device: file.device, inode: file.inode)
    }

    /// A file that was never seen has lost a name to another.
    mutating func lostUnseen(_ name: Name) { names[name] = UnlinkedNames.unseen }

    /// Whether a name had a file that was never seen.
    func isOfUnseen(_ name: Name) -> Bool { names[name] == UnlinkedNames.unseen }

    /// A name is not there and its content has changed, and which file that is is not known.
    mutating func noteUnresolved(_ name: Name, _ origin: Origin) { unresolved.append((name, origin)) }

    /// Takes the names whose files are to be found.
    mutating func takeUnresolved() -> [(name: Name, origin: Origin)] {
        guard !unresolved.isEmpty else { return [] }
        defer { unresolved = [] }
        return unresolved
    }

    /// No inode has this number.
    private static let unseen = InodeNumber(device: 0, inode: 0)

    /// The file that had a name last.
    func file(of name: Name) -> InodeNumber? { names[name] }

    /// Where a file was found last.
    func place(of file: InodeNumber) -> TreeNode? { places[file] }

    /// The inode number of a file of `O_TMPFILE`, by its name in events.
    static func inode(ofTemporary name: UnsafeRawBufferPointer) -> UInt64? {
        guard name.count > 1, name[0] == UInt8(ascii: "#") else { return nil }
        var number: UInt64 = 0
        for digit in name.dropFirst() {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
            let (tens, isTooMuch) = number.multipliedReportingOverflow(by: 10)
            let (sum, isTooLarge) = tens.addingReportingOverflow(UInt64(digit - UInt8(ascii: "0")))
            if isTooMuch || isTooLarge { return nil }
            number = sum
        }
        return number
    }
}
