// A FUSE file system for tests, which answers at once, late or never.
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A directory with one file, `inside` unless it is named otherwise, served by a program of its own over `/dev/fuse`.
///
/// The server is another process, since a process that waits for its own mount cannot be killed. When the test process ends
/// or crashes, the server unmounts and ends too, and calls that wait for it fail.
package final class FuseServer {
    /// Whether a test may mount one, and the server can run.
    package static let isAvailable: Bool =
        geteuid() == 0 && access("/dev/fuse", R_OK | W_OK) == 0 && access(python, X_OK) == 0
    private static let python = "/usr/bin/python3"

    private let process: pid_t
    private let commands: CInt
    private let answers: CInt
    private var hasEnded = false

    package struct Failure: Error { package var text: String }

    /// Mounts it on a directory. From the start it answers nothing or everything.
    ///
    /// - Parameters:
    ///   - name: The name of its file. Linux takes names up to 1024 bytes from FUSE.
    ///   - inode: The number that its file has in a status.
    package init(on path: String, isSilent: Bool, name: String = "inside", inode: UInt64 = 2) throws {
        var (input, output): ([CInt], [CInt]) = ([-1, -1], [-1, -1])
        guard pipe(&input) == 0, pipe(&output) == 0 else {
            throw Failure(text: String(cString: strerror(errno)))
        }
        for end in input + output { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input[0], STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, output[1], STDOUT_FILENO)
        closeInheritedDescriptors(&actions)
        let words = [
            FuseServer.python, "-c", FuseServer.script, path, isSilent ? "silent" : "answer", name, "\(inode)",
        ]
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        defer { for word in arguments { free(word) } }
        var child = pid_t()
        let code = posix_spawn(&child, FuseServer.python, &actions, nil, &arguments, environ)
        close(input[0])
        close(output[1])
        (commands, answers, process) = (input[1], output[0], child)
        guard code == 0 else { throw Failure(text: String(cString: strerror(code))) }
        try wait()
    }

    /// Has it answer everything, and the requests that wait.
    package func answer() throws { try command("answer") }

    /// Has it answer nothing.
    package func fallSilent() throws { try command("silent") }

    /// Has it answer everything but requests to open and read directories.
    package func holdDirectories() throws { try command("directories") }

    /// Has it answer everything but requests for an entry of its directory.
    package func holdLookUps() throws { try command("lookups") }

    /// Has it answer each request 150 ms later, with attributes that the kernel may keep for 1 s.
    package func answerLate() throws { try command("late") }

    /// Returns when a request waits for an answer.
    package func awaitRequest() throws { try command("await") }

    /// Has it end its connection, as a server that crashes does; the mount stays.
    package func crash() throws { try command("crash") }

    /// Unmounts it and ends the server, so that waiting calls fail. Call it before the directory is removed.
    package func end() {
        guard !hasEnded else { return }
        hasEnded = true
        close(commands)
        close(answers)
        var status: CInt = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
    }

    private func command(_ text: String) throws {
        let line = Array((text + "\n").utf8)
        guard write(commands, line, line.count) == line.count else {
            throw Failure(text: String(cString: strerror(errno)))
        }
        try wait()
    }

    private func wait() throws {
        var byte: UInt8 = 0
        while true {
            let count = read(answers, &byte, 1)
            if count < 0, errno == EINTR { continue }
            guard count == 1 else { throw Failure(text: "the FUSE server has ended") }
            if byte == UInt8(ascii: "\n") { return }
        }
    }

    deinit { end() }

    /// The protocol is that of `linux/fuse.h`.
    private static let script = #"""
        import ctypes, os, select, struct, sys, time
        path, mode = sys.argv[1], sys.argv[2].encode()
        name, number = os.fsencode(sys.argv[3]), int(sys.argv[4])
        libc = ctypes.CDLL(None, use_errno=True)
        fuse = os.open("/dev/fuse", os.O_RDWR)
        options = f"fd={fuse},rootmode=40000,user_id=0,group_id=0,allow_other"
        if libc.mount(b"test", path.encode(), b"fuse.test", 6, options.encode()):
            sys.exit("mount: " + os.strerror(ctypes.get_errno()))
        ROOT, FILE = 1, 2
        waiting, awaited = [], False

        def attributes(node):
            mode = 0o40750 if node == ROOT else 0o100640
            inode = number if node == FILE else node
            return struct.pack("<6Q10I", inode, 5, 1, *[1_700_000_000] * 3, 0, 0, 0, mode, 1, 0, 0, 0, 4096, 0)

        def reply(unique, data=b"", error=0):
            os.write(fuse, struct.pack("<IiQ", 16 + len(data), -error, unique) + data)

        def serve(request):
            length, operation, unique, node = struct.unpack_from("<IIQQ", request)
            body = request[40:]
            valid = 1 if mode == b"late" else 0
            if mode == b"late" and operation not in (2, 26, 36, 42): time.sleep(0.15)
            if operation == 26:
                minor = struct.unpack_from("<I", body, 4)[0]
                reply(unique, struct.pack("<4I2H2I2HI", 7, min(minor, 31), 0, 0, 0, 0, 4096, 1, 0, 0, 0) + bytes(28))
            elif operation == 3:
                reply(unique, struct.pack("<2Q", valid, 0) + attributes(node))
            elif operation == 1 and body.rstrip(b"\0") == name:
                reply(unique, struct.pack("<5Q", FILE, 0, valid, valid, 0) + attributes(FILE))
            elif operation == 1:
                reply(unique, error=2)
            elif operation in (14, 27):
                reply(unique, bytes(16))
            elif operation == 28:
                entry = struct.pack("<QQII", number, 1, len(name), 8) + name + bytes(-len(name) % 8)
                reply(unique, entry if struct.unpack_from("<Q", body, 8)[0] == 0 else b"")
            elif operation == 17:
                reply(unique, struct.pack("<5Q4I", 0, 0, 0, 0, 0, 4096, 255, 4096, 0) + bytes(24))
            elif operation in (18, 25, 29):
                reply(unique)
            elif operation not in (2, 36, 42):
                reply(unique, error=38)

        def held(operation):
            if mode == b"silent": return operation not in (2, 26, 36, 42)
            return operation in {b"directories": (27, 28), b"lookups": (1,)}.get(mode, ())

        print(flush=True)
        while True:
            ready = select.select([0] if fuse is None else [fuse, 0], [], [])[0]
            if 0 not in ready:
                try:
                    request = os.read(fuse, 1 << 17)
                except OSError:
                    request = None
                if request is None:
                    # It was unmounted.
                    os.close(fuse)
                    fuse = None
                elif held(struct.unpack_from("<I", request, 4)[0]):
                    waiting.append(request)
                    if awaited: print(flush=True)
                    awaited = False
                else:
                    serve(request)
                continue
            command = os.read(0, 64).strip()
            if not command:
                # A test may have mounted more on the same directory.
                while libc.umount2(path.encode(), 2) == 0: pass
                sys.exit()
            if command == b"await" and not waiting:
                awaited = True
                continue
            if command == b"crash":
                os.close(fuse)
                fuse, waiting = None, []
            elif command != b"await":
                mode = command
                if mode == b"answer":
                    for request in waiting: serve(request)
                    waiting = []
            print(flush=True)
        """#
}
