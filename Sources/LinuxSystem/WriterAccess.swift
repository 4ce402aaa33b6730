// The users who may write to a directory, as the access of a file in it.
// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import Synchronization

/// The users who may write to a directory: its owner, its group, those of its POSIX access list (acl(5)), and all others. A file can be
/// opened to them alone.
struct WriterAccess {
    /// An entry of an access list as the extended attribute has it (`linux/posix_acl_xattr.h`).
    private struct Entry {
        var tag: UInt16
        var permissions: UInt16
        var id: UInt32 = .max
    }

    private static let attribute = "system.posix_acl_access"
    private static let version: UInt32 = 2
    private static let entryBytes = 8
    /// The largest value that is read, in bytes (xattr(7)).
    private static let longest = 65_536
    private static let (ownerTag, userTag, groupTag, namedGroupTag, maskTag, otherTag):
        (
            UInt16, UInt16, UInt16, UInt16, UInt16, UInt16
        ) = (1, 2, 4, 8, 0x10, 0x20)
    private static let (read, write, search): (UInt16, UInt16, UInt16) = (4, 2, 1)
    private static let readAndWrite: UInt16 = 6

    /// The devices whose files have permissions that cannot be changed, such as those of FAT.
    private static let fixed = Mutex<Set<UInt64>>([])

    /// The device and the owner of the directory.
    private let device: UInt64
    private let owner: UInt32
    /// Whether each user may write; the owner is one of them. Users who are not here are judged by their groups.
    private var users: [UInt32: Bool] = [:]
    private var groups: [UInt32: Bool] = [:]
    private var others = false
    /// Whether a user may read the directory who may not write to it.
    private(set) var hasOtherReaders = false

    /// Looks at an open directory.
    init(_ directory: CInt) throws(SystemError) {
        let status = try EntryStatus(of: "", in: directory)
        (device, owner) = (status.device, status.owner)
        for entry in WriterAccess.entries(of: directory, status.mode) {
            let mayWrite = entry.permissions & (WriterAccess.write | WriterAccess.search) == 3
            if entry.permissions & WriterAccess.read != 0, !mayWrite { hasOtherReaders = true }
            switch entry.tag {
            case WriterAccess.ownerTag: users[status.owner] = mayWrite
            // The owner's own entry comes first, and counts alone.
            case WriterAccess.userTag: users[entry.id] = users[entry.id] ?? mayWrite
            case WriterAccess.groupTag: groups[status.group] = groups[status.group] == true || mayWrite
            case WriterAccess.namedGroupTag: groups[entry.id] = groups[entry.id] == true || mayWrite
            case WriterAccess.otherTag: others = mayWrite
            default: break
            }
        }
    }

    /// Whether the file system has refused the access of such a file before.
    var isImpossible: Bool { WriterAccess.fixed.withLock { $0.contains(device) } }

    /// Opens a file of this user to those who may write to the directory, and to no other user. Without access lists, the mode gives
    /// it to as many of them as it can.
    ///
    /// - Throws: `EOPNOTSUPP` where the file system cannot do that.
    func give(to file: borrowing Descriptor) throws(SystemError) {
        // Without access lists, the owner of the directory could not open a file of root.
        if geteuid() == 0, users[owner] == true { try? file.setOwner(owner, group: nil) }
        var status = try EntryStatus(of: "", in: file.number)
        // A group that gets less than all others, as one that gets more, needs an entry in the list unless it is the file's own.
        if groups[status.group] == nil,
            let group = (groups.first(where: \.value) ?? (others ? groups.first : nil))?.key
        {
            // This needs a member of the group.
            try? file.setOwner(nil, group: group)
            status = try EntryStatus(of: "", in: file.number)
        }
        func permissions(_ mayWrite: Bool) -> UInt16 { mayWrite ? WriterAccess.readAndWrite : 0 }
        // Root needs no entry.
        let named = users.filter { $0.key != status.owner && $0.key != 0 }.sorted { $0.key < $1.key }
        let namedGroups = groups.filter { $0.key != status.group && ($0.value || others) }.sorted { $0.key < $1.key }
        var list = [Entry(tag: WriterAccess.ownerTag, permissions: WriterAccess.readAndWrite)]
        list += named.map { Entry(tag: WriterAccess.userTag, permissions: permissions($0.value), id: $0.key) }
        let group = permissions(groups[status.group] ?? others)
        list.append(Entry(tag: WriterAccess.groupTag, permissions: group))
        list += namedGroups.map {
            Entry(tag: WriterAccess.namedGroupTag, permissions: permissions($0.value), id: $0.key)
        }
        if !named.isEmpty || !namedGroups.isEmpty {
            list.append(Entry(tag: WriterAccess.maskTag, permissions: WriterAccess.readAndWrite))
        }
        list.append(Entry(tag: WriterAccess.otherTag, permissions: permissions(others)))
        do throws(SystemError) {
            try WriterAccess.set(list, file)
        } catch {
            // An entry that withholds access cannot be left out.
            guard error == .notSupported, named.allSatisfy(\.value), namedGroups.allSatisfy(\.value) else {
                throw error
            }
            try file.setMode(0o600 | UInt32(group) << 3 | UInt32(permissions(others)))
        }
        // A file system without permissions gives each file the same.
        guard try !isExceeded(by: file) else {
            WriterAccess.fixed.withLock { _ = $0.insert(device) }
            throw .notSupported
        }
    }

    /// Whether a user may read or write a file who may not write to the directory.
    func isExceeded(by file: borrowing Descriptor) throws(SystemError) -> Bool {
        let status = try EntryStatus(of: "", in: file.number)
        return WriterAccess.entries(of: file.number, status.mode).contains { entry in
            guard entry.permissions & WriterAccess.readAndWrite != 0 else { return false }
            return switch entry.tag {
            case WriterAccess.userTag: users[entry.id] != true
            case WriterAccess.groupTag: !(groups[status.group] ?? others)
            case WriterAccess.namedGroupTag: groups[entry.id] != true
            case WriterAccess.otherTag: !others
            default: false
            }
        }
    }

    // MARK: Access lists

    /// Returns the entries of a file, with the permissions that they give. Without a list that can be read they are those of its mode.
    private static func entries(of file: CInt, _ mode: UInt16) -> [Entry] {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: longest, alignment: 8)
        defer { buffer.deallocate() }
        guard let count = try? ExtendedAttributes.get(attribute, of: "", in: file, into: buffer), count > 4 else {
            return [
                Entry(tag: ownerTag, permissions: mode >> 6 & 7), Entry(tag: groupTag, permissions: mode >> 3 & 7),
                Entry(tag: otherTag, permissions: mode & 7),
            ]
        }
        var entries = stride(from: 4, through: count - entryBytes, by: entryBytes).map { offset in
            Entry(
                tag: UInt16(littleEndian: buffer.loadUnaligned(fromByteOffset: offset, as: UInt16.self)),
                permissions: UInt16(littleEndian: buffer.loadUnaligned(fromByteOffset: offset + 2, as: UInt16.self)),
                id: UInt32(littleEndian: buffer.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)))
        }
        let mask = entries.first { $0.tag == maskTag }?.permissions ?? 7
        for index in entries.indices where [userTag, groupTag, namedGroupTag].contains(entries[index].tag) {
            entries[index].permissions &= mask
        }
        return entries.filter { $0.tag != maskTag }
    }

    private static func set(_ list: [Entry], _ file: borrowing Descriptor) throws(SystemError) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 4 + list.count * entryBytes, alignment: 8)
        defer { buffer.deallocate() }
        buffer.storeBytes(of: version.littleEndian, as: UInt32.self)
        for (index, entry) in list.enumerated() {
            let offset = 4 + index * entryBytes
            buffer.storeBytes(of: entry.tag.littleEndian, toByteOffset: offset, as: UInt16.self)
            buffer.storeBytes(of: entry.permissions.littleEndian, toByteOffset: offset + 2, as: UInt16.self)
            buffer.storeBytes(of: entry.id.littleEndian, toByteOffset: offset + 4, as: UInt32.self)
        }
        try ExtendedAttributes.set(attribute, of: "", in: file.number, to: UnsafeRawBufferPointer(buffer))
    }
}
