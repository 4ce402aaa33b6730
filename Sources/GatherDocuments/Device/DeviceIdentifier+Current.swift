// The identifier of this device: found, or made and kept.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc

extension DeviceIdentifier {
    /// Returns the identifier of this device, and makes it at the first call.
    ///
    /// A damaged file is made anew, so the device then has another identifier. If the file can be neither read nor written, the
    /// identifier is derived from `/etc/machine-id` and the user's number. Then two machines with the same `machine-id`, such
    /// as clones, have the same one. The call reads one small file. At the first call of a user it writes one, with fsync(2).
    ///
    /// - Throws: ``DocumentError`` if the file cannot be kept and the machine has no `/etc/machine-id` either.
    public static func current() throws(DocumentError) -> DeviceIdentifier {
        try DeviceFile(directory: DeviceFile.standardDirectory, machine: DeviceFile.machineIdentifier).identifier()
    }

    /// Returns the host name as ``name``: cut to ``longestName``, and ``unnamed`` if it is no name.
    static var hostName: String {
        var buffer = [CChar](repeating: 0, count: longestName + 1)
        // The buffer ends with a NUL whatever the call does: the name is cut there.
        guard gethostname(&buffer, longestName) == 0 || errno == ENAMETOOLONG else { return unnamed }
        return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
