// A save in a process of its own, which is killed after one of its system calls.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import TestSupport
import Testing

/// Runs the program `DocumentSaver`, and kills it after one of the system calls that change a file or a folder (ptrace(2)).
enum KilledSave {
    private static let python = "/usr/bin/python3"
    /// Whether this machine can do that.
    static var isPossible: Bool { access(python, X_OK) == 0 }

    /// The program, which lies beside the bundle of tests.
    private static var program: String {
        get throws {
            let candidates = ["/proc/self/exe"] + CommandLine.arguments.filter { $0.hasSuffix(".xctest") }
            let paths = candidates.map {
                URL(filePath: $0).resolvingSymlinksInPath().deletingLastPathComponent().path() + "DocumentSaver"
            }
            return try #require(paths.first { access($0, X_OK) == 0 }, "no DocumentSaver in \(paths)")
        }
    }

    /// Runs a save, and kills it after a call.
    ///
    /// - Parameters:
    ///   - kind: The kind of save; see `OneSave`.
    ///   - folder: The folder with the file.
    ///   - step: The number of the call, from 1 on.
    ///   - refusals: Calls that the kernel refuses to the program.
    /// - Returns: The name of the call; nil if the save ended before.
    static func run(
        _ kind: String, in folder: String, step: Int, refusing refusals: [RefusedCalls.Refusal] = []
    ) async throws -> String? {
        var command = [try program, "--save-once", kind, folder]
        if !refusals.isEmpty {
            let start = RefusedCalls.around(command[0], Array(command.dropFirst()), refusing: refusals)
            command = [start.program] + start.arguments
        }
        let result = await ChildProcess(path: python, ["-c", script, "\(step)"] + command).result()
        let line = try #require(result.lines.last, "\(result.errors)")
        if line == "ended 0" { return nil }
        try #require(line.hasPrefix("killed "), "\(line) \(result.errors)")
        return String(line.dropFirst(7))
    }

    /// The numbers are those of `linux/ptrace.h` and of the architectures' tables of system calls. Only the main thread is followed, which
    /// saves. Calls that change nothing need no kill.
    private static let script = """
        import ctypes, os, signal, struct, sys
        step, command = int(sys.argv[1]), sys.argv[2:]
        calls = {
            "x86_64": {257: "openat", 1: "write", 18: "pwrite", 77: "ftruncate", 74: "fsync", 316: "renameat2", 265: "linkat",
                       263: "unlinkat", 91: "fchmod", 93: "fchown", 190: "fsetxattr", 188: "setxattr", 280: "utimensat",
                       73: "flock"},
            "aarch64": {56: "openat", 64: "write", 68: "pwrite", 46: "ftruncate", 82: "fsync", 276: "renameat2", 37: "linkat",
                        35: "unlinkat", 52: "fchmod", 55: "fchown", 7: "fsetxattr", 5: "setxattr", 88: "utimensat",
                        32: "flock"},
        }[os.uname().machine]
        seize, interrupt, syscall, information, all_threads = 0x4206, 0x4207, 24, 0x420E, 0x40000000
        good, exits_with_tracer = 1, 0x100000
        libc = ctypes.CDLL(None, use_errno=True)
        libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]

        def trace(request, address=None, data=None):
            result = libc.ptrace(request, child, address, data)
            if result < 0: sys.exit("ptrace: " + os.strerror(ctypes.get_errno()))
            return result

        (from_child, output), (entry, to_child) = os.pipe(), os.pipe()
        child = os.fork()
        if child == 0:
            os.dup2(entry, 0)
            os.dup2(output, 1)
            for end in from_child, to_child, output, entry: os.close(end)
            os.execv(command[0], command)
        os.close(output)
        os.close(entry)
        lines = os.fdopen(from_child)
        if lines.readline() != "ready\\n": sys.exit("the program is not ready")
        trace(seize, None, good | exits_with_tracer)
        trace(interrupt)
        os.waitpid(child, all_threads)
        os.write(to_child, b"go\\n")
        number, count, name, sent = None, 0, None, 0
        while True:
            trace(syscall, None, sent)
            _, status = os.waitpid(child, all_threads)
            if os.WIFEXITED(status) or os.WIFSIGNALED(status):
                print("ended", os.waitstatus_to_exitcode(status))
                break
            stop, sent = os.WSTOPSIG(status), 0
            if stop == signal.SIGTRAP | 0x80:
                data = ctypes.create_string_buffer(88)
                trace(information, ctypes.c_void_p(88), ctypes.addressof(data))
                if data.raw[0] == 1: number = struct.unpack_from("Q", data.raw, 24)[0]
                if data.raw[0] == 2 and number in calls:
                    count += 1
                    if count == step:
                        os.kill(child, signal.SIGKILL)
                        os.waitpid(child, all_threads)
                        print("killed", calls[number])
                        break
            elif status >> 16 == 0:
                sent = stop
        """
}
