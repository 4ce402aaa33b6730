// Root as one whom permissions bind: without the capabilities that go past them it is an owner as any other.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import IdentityModel
import TestSupport

/// Programs, and moments of this thread, that may read and search only what the modes let the owner read and search.
enum Permissions {
    /// setpriv(1) before a command of root, also of root in a namespace of users. A program that root executes has all capabilities
    /// of the bounding set (capabilities(7)).
    static let command = [
        "/usr/bin/setpriv", "--bounding-set", "-dac_override,-dac_read_search", "--inh-caps",
        "-dac_override,-dac_read_search",
    ]

    static let canHeed = geteuid() == 0 && access(command[0], X_OK) == 0 && heeding { isKeptOut() }

    private struct Header {
        /// `_LINUX_CAPABILITY_VERSION_3`.
        var version: UInt32 = 0x2008_0522
        /// The calling thread.
        var process: CInt = 0
    }

    /// Two of each, for 64 capabilities.
    private struct Capabilities {
        var effective: UInt32 = 0
        var permitted: UInt32 = 0
        var inheritable: UInt32 = 0
        var others: (UInt32, UInt32, UInt32) = (0, 0, 0)
    }

    private typealias Call = @convention(c) (UnsafeMutableRawPointer, UnsafeMutableRawPointer) -> CInt
    private static let get = cFunction("capget", as: Call.self)
    private static let set = cFunction("capset", as: Call.self)

    /// Bound by them until it returns; capabilities are those of a thread.
    static func heeding<Result>(_ body: () -> Result) -> Result {
        let overriding: UInt32 = 1 << 1 | 1 << 2  // CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
        var (header, former) = (Header(), Capabilities())
        guard get(&header, &former) == 0 else { return body() }
        var capabilities = former
        capabilities.effective &= ~overriding
        _ = set(&header, &capabilities)
        defer { _ = set(&header, &former) }
        return body()
    }

    /// Whether a directory without any permission cannot be read.
    private static func isKeptOut() -> Bool {
        var template = Bytes("/tmp/gather-closed-XXXXXX").map { CChar(bitPattern: $0) } + [0]
        guard mkdtemp(&template) != nil else { return false }
        defer { rmdir(template) }
        guard chmod(template, 0) == 0 else { return false }
        let descriptor = open(template, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if descriptor >= 0 { close(descriptor) }
        return descriptor < 0
    }
}
