// A folder whose files no user may read or change, and the deeds of programs in it.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Synchronization

/// A folder of private files. inotify(7) tells each program that reads or changes something in it. A path that only leads there, and a
/// look at the status of an entry, are no access.
package final class PrivateFolder: Sendable {
    /// The contents of every private file have this text.
    package static let marker = "PRIVATE-7f3a"

    /// `IN_ALL_EVENTS`, which the Glibc module lacks.
    private static let allEvents: UInt32 = 0xFFF
    private let inotify: CInt
    private let names = Mutex<[CInt: String]>([:])

    /// Watches a folder and all folders in it. Files in folders that come later are not watched.
    package init(_ path: String) {
        inotify = inotify_init1(CInt(IN_NONBLOCK) | CInt(IN_CLOEXEC))
        watch(path)
    }

    deinit { close(inotify) }

    private func watch(_ path: String) {
        // Listed first, so that the listing is no event.
        var folders: [String] = []
        if let list = opendir(path) {
            while let entry = readdir(list) {
                let name = withUnsafePointer(to: &entry.pointee.d_name) {
                    $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                }
                if name != ".", name != "..", entry.pointee.d_type == UInt8(DT_DIR) { folders.append(name) }
            }
            closedir(list)
        }
        for name in folders { watch(path + "/" + name) }
        let number = inotify_add_watch(inotify, path, PrivateFolder.allEvents)
        names.withLock { $0[number] = path }
    }

    /// Returns what was done since the last call, such as `a read, b made`. Empty if nothing was.
    package func events() -> [String] {
        var found: [String] = []
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 8)
        defer { buffer.deallocate() }
        while true {
            let count = read(inotify, buffer.baseAddress, buffer.count)
            guard count > 0 else { return found }
            var offset = 0
            while offset < count {
                let event = buffer.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
                let start = offset + MemoryLayout<inotify_event>.size
                let name = buffer[start..<(start + Int(event.len))].prefix { $0 != 0 }
                let folder = names.withLock { $0[event.wd] } ?? "?"
                // The end of a use says nothing new.
                let ends = UInt32(IN_CLOSE_WRITE) | UInt32(IN_CLOSE_NOWRITE) | UInt32(IN_IGNORED)
                if event.mask & ends == 0 {
                    found.append(
                        "\(folder)/\(String(decoding: name, as: UTF8.self)) \(String(event.mask, radix: 16))")
                }
                offset = start + Int(event.len)
            }
        }
    }
}
