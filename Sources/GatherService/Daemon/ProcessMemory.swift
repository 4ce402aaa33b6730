// The memory of the process.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinuxSystem

/// The memory of this process.
enum ProcessMemory {
    /// The resident bytes (`/proc/self/statm`, proc(5)); 0 if that cannot be read.
    static var residentBytes: Int {
        guard let file = try? Entry.openForReading("/proc/self/statm") else { return 0 }
        let text = withUnsafeTemporaryAllocation(byteCount: 256, alignment: 1) { buffer in
            guard let count = try? file.read(into: buffer) else { return "" }
            return String(decoding: buffer[..<count], as: UTF8.self)
        }
        let fields = text.split(separator: " ")
        return fields.count > 1 ? (Int(fields[1]) ?? 0) * pageSize : 0
    }

    private static let pageSize = sysconf(CInt(_SC_PAGESIZE))
}
