// Implementations of Varlink that are not ours, where this machine has them: they test ours.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestSupport
import Testing

@testable import Varlink

/// A certification program of somebody else, both as a client and as a service. `Packaging/dev/judges` sees to it that they
/// are there.
enum CertificationProgram: String, CaseIterable, CustomTestStringConvertible {
    /// The Go implementation's, from Debian's `varlink-go`.
    case go = "varlink-go"
    /// That of python-varlink, run by the Python that `GATHER_JUDGES_PYTHON` names.
    case python = "python-varlink"

    private var command: String? {
        switch self {
        case .go: access("/usr/bin/varlink-go-certification", X_OK) == 0 ? "/usr/bin/varlink-go-certification" : nil
        case .python:
            getenv("GATHER_JUDGES_PYTHON").map { "'\(String(cString: $0))' -u -m varlink.tests.test_certification" }
        }
    }

    static let available = allCases.filter { $0.command != nil }

    var testDescription: String { rawValue }

    /// Has it call what listens at `path`, from Start to End, and returns what it says and its exit status.
    func certify(serviceAt path: String) -> (said: String, status: CInt) {
        let script =
            "\(CertificationProgram.closing()); exec timeout -s KILL \(Patience.seconds) \(command ?? "false") --client --varlink='unix:\(path)' 2>&1"
        guard let pipe = popen(CertificationProgram.bash(script), "r") else { return ("popen failed", errno) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while case let count = fread(&chunk, 1, chunk.count, pipe), count > 0 { bytes += chunk[..<count] }
        return (String(decoding: bytes, as: UTF8.self), pclose(pipe))
    }

    /// Runs `body` while it is the service at `path`.
    func serve(at path: String, _ body: () async throws -> Void) async throws {
        // The socket listens before the program runs, and is passed as systemd does it: there is nothing to wait for.
        let listener = try UnixSocket.listen(path: path, mode: 0o600, group: nil, backlog: 16)
        defer {
            close(listener)
            unlink(path)
        }
        guard fcntl(listener, F_SETFD, 0) == 0 else { throw Errno(code: errno) }
        // It ends when the shell's standard input, which is this pipe, does: by the one signal that is not blocked in the
        // children of a thread of the pool.
        let service = "LISTEN_FDS=1 LISTEN_FDNAMES=varlink LISTEN_PID=$BASHPID exec \(command ?? "false")"
        let script =
            "\(CertificationProgram.closing(but: listener)); "
            + "(\(service) --varlink=\"unix:\(path)\" 3<&\(listener)) >/dev/null 2>&1 & read; kill -KILL $!"
        guard let pipe = popen(CertificationProgram.bash(script), "w") else { throw Errno(code: errno) }
        do { try await body() } catch {
            pclose(pipe)
            throw error
        }
        pclose(pipe)
    }

    private static func bash(_ script: String) -> String {
        "exec bash -c '\(script.replacing("'", with: "'\\''"))'"
    }

    /// Closes descriptors that the shell was not meant to get: sockets of tests that run beside would not end as long as it has
    /// them, and this test may wait for a program that waits for such an end.
    private static func closing(but kept: CInt = 0) -> String {
        "for fd in /proc/$$/fd/*; do fd=${fd##*/}; case $fd in [012]|255|\(kept)) ;; *) eval \"exec $fd>&-\" ;; esac; done"
    }

    struct Errno: Error { let code: CInt }
}
