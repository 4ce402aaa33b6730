// The owner, mode and extended attributes of a saved file.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import LinuxSystem

/// Gives a new file the owner, the mode and the extended attributes of the one that it replaces, or of a new document.
enum FileAccessCopy {
    private static let defaultAccessList = "system.posix_acl_default"
    private static let authorKey = Array(DeviceIdentifier.attributeName.utf8)
    private static let stickyBit = UInt32(S_ISVTX)

    /// Copies what a file has. Only root may give a file away, and set security labels and capabilities. Attributes in `user.`
    /// must be copied.
    ///
    /// - Parameter isMove: True for a file that is moved: the author is copied, too, and a file system without extended attributes or
    ///   permissions is no error, as for mv(1).
    static func copy(
        of name: [UInt8], _ status: EntryStatus, in folder: borrowing Folder, to file: borrowing Descriptor,
        isMove: Bool = false
    ) throws(DocumentError) {
        let text = folder.text(name)
        let key = name.cString
        for attribute in try attributes(of: key, in: folder, text) where isMove || attribute != authorKey {
            guard let value = try value(attribute, of: key, in: folder, text) else { continue }
            do throws(SystemError) {
                try set(attribute, value, file)
            } catch {
                guard !attribute.starts(with: "user.".utf8) || isMove && error == .notSupported else {
                    throw DocumentError("cannot copy \(String(decoding: attribute, as: UTF8.self)) of", text, error)
                }
            }
        }
        // chown(2) clears set-id bits, so the mode comes after the owner. A program never runs with the rights of another owner.
        let isSameOwner = (try? file.setOwner(status.owner, group: status.group)) != nil
        let isSameGroup = isSameOwner || (try? file.setOwner(nil, group: status.group)) != nil
        do throws(SystemError) {
            try file.setMode(UInt32(status.mode & (isSameOwner ? 0o7777 : 0o1777)))
        } catch {
            if isMove, error == .notPermitted || error == .notSupported { return }
            throw DocumentError("cannot copy the mode of", text, error)
        }
        // The former owner may write to a file that another user saved through the group only.
        if !isSameGroup, !isMove { try shareWithFolder(folder, file, others: false) }
    }

    /// Gives a file the group of its folder, and write permission for the users who may write there. The umask alone would
    /// make each document of a shared folder read-only for all users but its author.
    ///
    /// A default access control list of the folder has set the permissions of a new file already, and is not changed. If this user is not a
    /// member of the folder's group, the group stays, and only the permission of others is copied.
    static func shareWithFolder(
        _ folder: borrowing Folder, _ file: borrowing Descriptor, others: Bool = true, isNew: Bool = true
    ) throws(DocumentError) {
        let text = String(decoding: folder.path, as: UTF8.self)
        do throws(SystemError) {
            let parent = try EntryStatus(of: "", in: folder.number)
            let own = try EntryStatus(of: "", in: file.number)
            if isNew, try get(Array(defaultAccessList.utf8), of: [0], in: folder.number) != nil { return }
            var mode = UInt32(own.mode & 0o7777)
            let hasGroup = parent.group == own.group || (try? file.setOwner(nil, group: parent.group)) != nil
            let isDirectory = own.isDirectory
            if hasGroup, parent.mode & 0o020 != 0 { mode |= isDirectory ? 0o2070 : 0o060 }
            // In a directory with the sticky bit, others may not change files that they do not own.
            if others, parent.mode & 0o002 != 0, UInt32(parent.mode) & stickyBit == 0 {
                mode |= isDirectory ? 0o007 : 0o006
            }
            try file.setMode(mode)
        } catch {
            throw DocumentError("cannot set the permissions of a file in", text, error)
        }
    }

    /// Sets the time of the last change of the contents (futimens(3)).
    static func setModified(_ time: EntryStatus.Time, _ file: borrowing Descriptor) {
        // UTIME_OMIT, which the Glibc module lacks: the time of the last access stays.
        let omit = (1 << 30) - 2
        var times = [
            timespec(tv_sec: 0, tv_nsec: omit),
            timespec(tv_sec: CLong(time.seconds), tv_nsec: CLong(time.nanoseconds)),
        ]
        _ = futimens(file.number, &times)
    }

    /// Writes the author into `user.gather.device`. A file system without extended attributes keeps none.
    static func setAuthor(_ device: DeviceIdentifier, _ file: borrowing Descriptor) {
        try? set(authorKey, device.attributeValue, file)
    }

    /// Sets derived attributes, and removes those without a value. A file system without extended attributes, or a file
    /// of another user, keeps the old ones: they can be derived again.
    static func set(_ attributes: [DerivedAttribute], _ file: borrowing Descriptor) {
        for attribute in attributes {
            let key = Array("user.\(attribute.name.text)".utf8)
            if let value = attribute.value {
                // An equal one stays, since setting it would change the time of the inode and wake the watchers of the
                // file.
                if (try? get(key, of: [0], in: file.number)).flatMap({ $0 }) == value { continue }
                try? set(key, value, file)
            } else {
                try? ExtendedAttributes.remove(key.cString, of: "", in: file.number)
            }
        }
    }

    /// Returns the author of a file as `user.gather.device` says; nil without one.
    static func author(of name: [UInt8], in folder: borrowing Folder) -> DeviceIdentifier? {
        let value = try? get(authorKey, of: name.cString, in: folder.number)
        return value.flatMap { $0 }.flatMap { DeviceIdentifier(attributeValue: $0) }
    }

    // MARK: System calls

    private static func set(
        _ key: [UInt8], _ value: [UInt8], _ file: borrowing Descriptor
    ) throws(SystemError) {
        let (number, key) = (file.number, key.cString)
        var failure: SystemError?
        value.withUnsafeBytes { bytes in
            do throws(SystemError) {
                try ExtendedAttributes.set(key, of: "", in: number, to: bytes)
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
    }

    private static func attributes(
        of name: [CChar], in folder: borrowing Folder, _ text: String
    ) throws(DocumentError) -> [[UInt8]] {
        do throws(SystemError) {
            while true {
                let size = try ExtendedAttributes.list(of: name, in: folder.number, into: .init(start: nil, count: 0))
                var list = [CChar](repeating: 0, count: size + 256)
                do throws(SystemError) {
                    let count = try fill(&list) { buffer throws(SystemError) in
                        try ExtendedAttributes.list(of: name, in: folder.number, into: buffer)
                    }
                    return list[..<count].split(separator: 0).map { $0.map { UInt8(bitPattern: $0) } }
                } catch {
                    // The list has grown between the calls.
                    if error != .range { throw error }
                }
            }
        } catch {
            if error == .notSupported { return [] }
            throw DocumentError("cannot read the attributes of", text, error)
        }
    }

    private static func value(
        _ key: [UInt8], of name: [CChar], in folder: borrowing Folder, _ text: String
    ) throws(DocumentError) -> [UInt8]? {
        do throws(SystemError) { return try get(key, of: name, in: folder.number) } catch {
            throw DocumentError("cannot read the attributes of", text, error)
        }
    }

    private static func get(_ key: [UInt8], of name: [CChar], in directory: CInt) throws(SystemError) -> [UInt8]? {
        let key = key.cString
        while true {
            guard
                let size = try ExtendedAttributes.get(key, of: name, in: directory, into: .init(start: nil, count: 0))
            else { return nil }
            var value = [CChar](repeating: 0, count: size + 64)
            do throws(SystemError) {
                let count = try fill(&value) { buffer throws(SystemError) in
                    try ExtendedAttributes.get(
                        key, of: name, in: directory, into: UnsafeMutableRawBufferPointer(buffer)) ?? -1
                }
                return count < 0 ? nil : value[..<count].map { UInt8(bitPattern: $0) }
            } catch {
                if error != .range { throw error }
            }
        }
    }

    private static func fill(
        _ buffer: inout [CChar], _ body: (UnsafeMutableBufferPointer<CChar>) throws(SystemError) -> Int
    ) throws(SystemError) -> Int {
        var result: Result<Int, SystemError> = .success(0)
        buffer.withUnsafeMutableBufferPointer { buffer in
            do throws(SystemError) { result = .success(try body(buffer)) } catch { result = .failure(error) }
        }
        return try result.get()
    }
}
