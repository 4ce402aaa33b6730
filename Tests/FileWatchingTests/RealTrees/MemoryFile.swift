// A file in memory, whose file system has no bound on extended attributes but the kernel's own.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinuxSystem
import Testing

/// `f` in a directory of its own on the tmpfs of `/dev/shm`, gone with this.
final class MemoryFile {
    /// The path of the directory.
    let directory: String
    private let top: Descriptor

    init(_ purpose: String) throws {
        directory = "/dev/shm/gather-\(purpose)-\(getpid())"
        #expect(mkdir(directory, 0o700) == 0)
        close(open(directory + "/f", O_CREAT | O_WRONLY, 0o600))
        top = try Directory.open(directory, access: .path)
    }

    deinit {
        unlink(directory + "/f")
        rmdir(directory)
    }

    /// Whether there is such a file system, tried once.
    static let takesMuch: Bool = (try? MemoryFile("probe"))?.set("a", to: [UInt8](repeating: 0, count: 60_000)) == true

    /// Sets an attribute of the file; whether the file system took it.
    func set(_ attribute: String, to value: [UInt8]) -> Bool {
        ExtraAttributesTests.set(attribute, of: "f", in: top.number, to: value)
    }
}
