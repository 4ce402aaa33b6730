// The system calls that a mount's agent makes.
// SPDX-License-Identifier: Apache-2.0

import CLinux

extension MountAgent {
    /// The calls of ``Directory``, ``EntryStatus``, ``Entry``, ``ExtendedAttributes`` and ``Inotify``. Descriptors are the
    /// agent's own.
    package func open(
        _ path: UnsafePointer<CChar>, beneath directory: CInt? = nil, access: Directory.Access
    ) throws(SystemError) -> CInt {
        CInt(
            try call(
                Int(CLINUX_AGENT_OPEN), directory, path, flags: UInt64(Directory.flags(access)),
                resolve: directory == nil ? UInt64(0) : Directory.beneath))
    }

    package func status(of name: UnsafePointer<CChar>, in directory: CInt?) throws(SystemError) -> EntryStatus {
        var raw = clinux_status()
        try withUnsafeMutableBytes(of: &raw) { (bytes) throws(SystemError) in
            _ = try call(Int(CLINUX_AGENT_STATUS), directory, name, into: bytes)
        }
        return EntryStatus(raw)
    }

    package func attribute(
        _ key: UnsafePointer<CChar>, of name: UnsafePointer<CChar>, in directory: CInt?,
        into buffer: UnsafeMutableRawBufferPointer
    ) throws(SystemError) -> Int? {
        do throws(SystemError) {
            return try call(Int(CLINUX_AGENT_GET_ATTRIBUTE), directory, name, key: key, into: buffer)
        } catch {
            if error == .noData || error == .notSupported { return nil }
            throw error
        }
    }

    package func attributes(
        of name: UnsafePointer<CChar>, in directory: CInt?, into buffer: UnsafeMutableRawBufferPointer
    ) throws(SystemError) -> Int { try call(Int(CLINUX_AGENT_LIST_ATTRIBUTES), directory, name, into: buffer) }

    package func symlink(
        _ name: UnsafePointer<CChar>, in directory: CInt?, into buffer: UnsafeMutableRawBufferPointer
    ) throws(SystemError) -> Int { try call(Int(CLINUX_AGENT_READ_LINK), directory, name, into: buffer) }

    package func file(
        _ name: UnsafePointer<CChar>, in directory: CInt?, into buffer: UnsafeMutableRawBufferPointer
    ) throws(SystemError) -> Int { try call(Int(CLINUX_AGENT_READ_FILE), directory, name, into: buffer) }

    package func entries(
        of directory: CInt, into buffer: UnsafeMutableRawBufferPointer
    ) throws(SystemError) -> Int { try call(Int(CLINUX_AGENT_READ_ENTRIES), directory, "", into: buffer) }

    package func addWatch(on directory: CInt, mask: InotifyMask) throws(SystemError) -> Int32 {
        Int32(truncatingIfNeeded: try call(Int(CLINUX_AGENT_ADD_WATCH), directory, "", flags: UInt64(mask.rawValue)))
    }

    package func fileSystemType(of directory: CInt) throws(SystemError) -> UInt64 {
        var type: UInt64 = 0
        try withUnsafeMutableBytes(of: &type) { (bytes) throws(SystemError) in
            _ = try call(Int(CLINUX_AGENT_FILE_SYSTEM_TYPE), directory, "", into: bytes)
        }
        return type
    }
}
