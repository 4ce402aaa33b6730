// Programs for which the kernel refuses system calls, as file systems with fewer abilities and filters of containers do.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A filter of system calls (seccomp(2)) around a program.
package enum RefusedCalls {
    /// A call that fails, or that ends the program.
    package struct Refusal: Sendable {
        let name: String
        /// Nil ends the program.
        let code: CInt?
        let needsFlags: Bool

        /// Makes a refusal by the name of the call and its error. With `needsFlags` it succeeds if its fifth argument is 0.
        package init(_ name: String, _ code: CInt, needsFlags: Bool = false) {
            self.name = name
            self.code = code
            self.needsFlags = needsFlags
        }

        private init(ending name: String) { (self.name, code, needsFlags) = (name, nil, false) }

        /// The program ends by SIGSYS, at once, when it makes this call.
        package static func ends(_ name: String) -> Self { Self(ending: name) }
    }

    /// The refusals of NFS and of some FUSE file systems: flock(2) of a directory, and the flags of renameat2(2).
    package static let ofFileSystems = [Refusal("flock", EBADF), Refusal("renameat2", EINVAL, needsFlags: true)]

    private static let python = "/usr/bin/python3"
    /// Whether this machine can run such a program.
    package static var arePossible: Bool { access(python, X_OK) == 0 }

    /// Returns the program and the arguments that run a program without these calls.
    package static func around(
        _ program: String, _ arguments: [String], refusing refusals: [Refusal] = ofFileSystems
    ) -> (program: String, arguments: [String]) {
        let list = refusals.map { "\($0.name) \($0.code ?? 0) \($0.needsFlags ? 4 : -1)" }.joined(separator: ",")
        return (python, ["-c", script, list, program] + arguments)
    }

    /// The instructions are those of `linux/filter.h`. `linux/seccomp.h` has the places of a call's number and arguments.
    private static let script = """
        import ctypes, os, struct, sys
        numbers = {
            "x86_64": {"flock": 73, "renameat2": 316, "openat2": 437, "statx": 332, "clone3": 435, "eventfd2": 290,
                       "epoll_create1": 291, "epoll_ctl": 233, "timerfd_create": 283, "inotify_init1": 294, "unlinkat": 263,
                       "linkat": 265},
            "aarch64": {"flock": 32, "renameat2": 276, "openat2": 437, "statx": 291, "clone3": 435, "eventfd2": 19,
                        "epoll_create1": 20, "epoll_ctl": 21, "timerfd_create": 85, "inotify_init1": 26, "unlinkat": 35,
                        "linkat": 37},
        }[os.uname().machine]
        load, equal, result = 0x20, 0x15, 0x06
        allowed, refused, ended = 0x7FFF0000, 0x00050000, 0x80000000
        program = []
        for refusal in sys.argv[1].split(","):
            name, code, argument = refusal.split()
            refusing = [(result, 0, 0, refused | int(code) if int(code) else ended)]
            if int(argument) >= 0:
                refusing = [(load, 0, 0, 16 + int(argument) * 8), (equal, 1, 0, 0)] + refusing + [(result, 0, 0, allowed)]
            program += [(load, 0, 0, 0), (equal, 0, len(refusing), numbers[name])] + refusing
        program.append((result, 0, 0, allowed))
        code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *line) for line in program))
        head = struct.pack("HxxxxxxQ", len(program), ctypes.addressof(code))
        libc = ctypes.CDLL(None, use_errno=True)
        for option, value, pointer in ((38, 1, 0), (22, 2, head)):
            if libc.prctl(option, ctypes.c_ulong(value), ctypes.c_char_p(pointer) if pointer else 0, 0, 0) != 0:
                sys.exit("prctl: " + os.strerror(ctypes.get_errno()))
        os.execv(sys.argv[2], sys.argv[2:])
        """
}
