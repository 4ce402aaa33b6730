// What takes system calls of its own: extended attributes, and where symbolic links lead.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
package import Metadata

extension LinuxKernel {
    package func readExtras(
        of name: UnsafePointer<CChar>, kind: FileKind, in directory: CInt, into buffer: UnsafeMutableRawBufferPointer
    ) -> Int {
        do throws(SystemError) {
            switch kind {
            case .symlink:
                let length = try Entry.readSymlink(name, in: directory, into: buffer)
                return LinuxKernel.write(ExtraAttributes(target: Array(buffer[..<length])), to: buffer)
            case .file, .directory, .package:
                let length = try ExtendedAttributes.list(
                    of: name, in: directory, into: buffer.assumingMemoryBound(to: CChar.self))
                // Nearly always.
                if length == 0 { return 0 }
                let names = LinuxKernel.userNames(UnsafeRawBufferPointer(rebasing: buffer[..<length]))
                let attributes = names.compactMap { attribute -> (name: [UInt8], value: [UInt8])? in
                    LinuxKernel.value(attribute, of: name, in: directory, buffer).map { (attribute, $0) }
                }
                return LinuxKernel.write(ExtraAttributes(attributes), to: buffer)
            // Anything else has none (xattr(7)).
            default: return 0
            }
        } catch {
            return 0
        }
    }

    private static let namespace = Array("user.".utf8)

    /// The names that are in the namespace `user`, without it, of a list in which each ends with a NUL.
    private static func userNames(_ list: UnsafeRawBufferPointer) -> [[UInt8]] {
        list.split(separator: 0).filter { $0.starts(with: namespace) }.map { Array($0.dropFirst(namespace.count)) }
    }

    private static func value(
        _ attribute: [UInt8], of name: UnsafePointer<CChar>, in directory: CInt, _ buffer: UnsafeMutableRawBufferPointer
    ) -> [UInt8]? {
        (namespace + attribute + [0]).withUnsafeBytes { key in
            guard let key = key.baseAddress?.assumingMemoryBound(to: CChar.self),
                let length = try? ExtendedAttributes.get(key, of: name, in: directory, into: buffer)
            else { return nil }
            return Array(buffer[..<length])
        }
    }

    private static func write(_ extras: ExtraAttributes, to buffer: UnsafeMutableRawBufferPointer) -> Int {
        buffer.copyBytes(from: extras.bytes)
        return extras.bytes.count
    }
}
