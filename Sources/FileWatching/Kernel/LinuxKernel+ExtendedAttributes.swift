// Facts that take system calls of their own: extended attributes, and targets of symbolic links.
// SPDX-License-Identifier: Apache-2.0

package import LinuxSystem
package import Metadata

extension LinuxKernel {
    package func readXattrs(
        of name: UnsafePointer<CChar>, kind: FileKind, in directory: CInt, into buffer: UnsafeMutableRawBufferPointer
    ) throws(SystemError) -> Int {
        do throws(SystemError) {
            switch kind {
            case .symlink:
                var writer = ExtraAttributesWriter(in: buffer)
                try writer.add(UnsafeRawBufferPointer(start: nil, count: 0)) { (room) throws(SystemError) in
                    try readSymlink(name, in: directory, into: room)
                }
                return writer.finish()
            case .file, .directory, .package: return try readAttributes(of: name, in: directory, into: buffer)
            // Anything else has none (xattr(7)).
            default: return 0
            }
        } catch {
            switch error {
            // Something else stands there by now, or nothing, and an event tells of that.
            case .noEntry, .notDirectory: return 0
            case .invalid where kind == .symlink: return 0
            // It has none, or none for us: that stays so until the entry changes. Before Linux 6.13, the path through /proc of a
            // name of over 4,000 bytes is too long.
            case .notSupported, .noData, .noAccess, .notPermitted, .nameTooLong: return 0
            default:
                // A mount point is looked at again when its mount answers: the directory that holds it lacks nothing.
                if error.isOfMount, place(of: name, in: directory)?.path != nil { return 0 }
                throw error
            }
        }
    }

    private func readAttributes(
        of name: UnsafePointer<CChar>, in directory: CInt, into buffer: UnsafeMutableRawBufferPointer
    ) throws(SystemError) -> Int {
        let list = UnsafeMutableRawBufferPointer(rebasing: buffer[ExtraAttributesWriter.bufferSize...])
        let length = try listAttributes(of: name, in: directory, into: list)
        // Nearly always.
        if length == 0 { return 0 }
        var writer = ExtraAttributesWriter(in: buffer)
        let namespaceSize = ExtendedAttributes.userNamespace.count
        // The namespace stands before it, and a NUL behind it.
        func add(_ attribute: UnsafeRawBufferPointer) throws(SystemError) {
            guard let start = attribute.baseAddress.map({ $0 - namespaceSize }) else { return }
            try writer.add(attribute) { (room) throws(SystemError) in
                try value(
                    of: start.assumingMemoryBound(to: CChar.self), of: name, in: directory, into: room)
            }
        }
        var others: [UnsafeRawBufferPointer] = []
        var known: UInt8 = length == nil ? .max : 0
        ExtendedAttributes.forEachUserName(in: UnsafeRawBufferPointer(rebasing: list[..<(length ?? 0)])) { attribute in
            if let place = LinuxKernel.known.firstIndex(where: { $0.elementsEqual(attribute) }) {
                known |= 1 << UInt8(place)
            } else if others.count < WatchLimits.attributesOfFile {
                others.append(attribute)
            }
        }
        for (place, attribute) in LinuxKernel.known.enumerated() where known >> UInt8(place) & 1 != 0 {
            let key = ExtendedAttributes.userNamespace + attribute + [0]
            try key.withUnsafeBufferPointer { (key) throws(SystemError) in
                try add(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(key)[namespaceSize...].dropLast()))
            }
        }
        others.sort { $0.lexicographicallyPrecedes($1) }
        for attribute in others { try add(attribute) }
        return writer.finish()
    }

    /// Reads the names of the attributes, nil where they are more than fit: the list may have 64 KiB (xattr(7)). The kernel
    /// takes memory for as much as it is given room for, so it is given little first.
    private func listAttributes(
        of name: UnsafePointer<CChar>, in directory: CInt, into list: UnsafeMutableRawBufferPointer
    ) throws(SystemError) -> Int? {
        func read(_ size: Int) throws(SystemError) -> Int {
            try attributes(of: name, in: directory, into: UnsafeMutableRawBufferPointer(rebasing: list[..<size]))
        }
        do throws(SystemError) {
            return try read(LinuxKernel.usualNamesSize)
        } catch {
            guard error == .range else { throw error }
        }
        do throws(SystemError) {
            return try read(list.count)
        } catch {
            guard error == .range || error == .tooBig else { throw error }
            return nil
        }
    }

    private func value(
        of key: UnsafePointer<CChar>, of name: UnsafePointer<CChar>, in directory: CInt,
        into room: UnsafeMutableRawBufferPointer
    ) throws(SystemError) -> Int? {
        do throws(SystemError) {
            return try attribute(key, of: name, in: directory, into: room)
        } catch {
            // It does not fit, or may not be read: either stays so until it changes.
            if error == .range || error.isRefusal { return nil }
            throw error
        }
    }

    /// Bytes of a list of some twenty names.
    private static let usualNamesSize = 512

    /// The attributes that have names of their own in the language.
    private static let known = Attribute.fixed.compactMap(\.extraName).filter { !$0.isEmpty }
}
