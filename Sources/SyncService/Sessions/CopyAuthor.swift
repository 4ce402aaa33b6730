// The author of a version in conflict, in its file.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Metadata

/// The author of a file, where GatherDocuments keep it: `user.gather.device` is `DEVICE NAME`.
enum CopyAuthor {
    private static let attribute = "user.gather.device"
    /// The longest value that is read, in bytes.
    private static let longest = 256

    /// Returns the device in the attribute of a file; nil if there is none.
    static func read(_ path: String) -> String? {
        guard let file = try? ContainerRoots.openFile(path) else { return nil }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: longest, alignment: 1)
        defer { buffer.deallocate() }
        guard let count = try? ExtendedAttributes.get(attribute, of: "", in: file.number, into: buffer) else {
            return nil
        }
        let device = String(decoding: buffer[..<count].prefix { $0 != UInt8(ascii: " ") }, as: UTF8.self)
        return ConflictName.isDevice(device) ? device : nil
    }

    /// Replaces the attribute.
    static func write(_ device: String, name: String, _ path: String) throws(SystemError) {
        let file = try ContainerRoots.openFile(path)
        let (number, value) = (file.number, Array("\(device) \(name)".utf8))
        let result: Result<Void, SystemError> = value.withUnsafeBytes { bytes in
            do throws(SystemError) {
                return .success(try ExtendedAttributes.set(attribute, of: "", in: number, to: bytes))
            } catch {
                return .failure(error)
            }
        }
        try result.get()
    }
}
