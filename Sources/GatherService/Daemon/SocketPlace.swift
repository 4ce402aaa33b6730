// Checks the path of the socket before anything else, so that its error is the first message.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinuxSystem
import SystemPackage
import Varlink

/// Checks whether the daemon can listen at a path. An error has the reason, and the command that helps on this machine.
struct SocketPlace {
    let path: String
    /// The directory of the user's session, which must exist. Nil for the system, for a path of the command line, and if the daemon
    /// makes it.
    let runtimeDirectory: RuntimeDirectory?
    /// Whether systemd runs this machine.
    let hasSystemd: Bool

    init(path: String, runtimeDirectory: RuntimeDirectory?, hasSystemd: Bool = SocketPlace.hasSystemd) {
        self.path = path
        self.runtimeDirectory = runtimeDirectory
        self.hasSystemd = hasSystemd
    }

    /// Whether systemd runs this machine (sd_booted(3)).
    static var hasSystemd: Bool { access("/run/systemd/system", F_OK) == 0 }

    /// Throws if the daemon cannot listen at the path. Another process may still take the path afterwards.
    func check() throws(ConfigurationError) {
        try checkRuntimeDirectory()
        let occupant: SocketOccupant?
        do throws(VarlinkSocketError) {
            occupant = try SocketOccupant.at(path)
        } catch {
            if error.errno == ENAMETOOLONG {
                throw self.error("the path of a Unix socket has at most 107 bytes; name a shorter one with --socket")
            }
            throw self.error("cannot listen: \(error)")
        }
        switch occupant {
        case nil: return
        case .process(let number):
            let process = number.map { " (process \($0))" } ?? ""
            throw error("another daemon\(process) already answers there; stop it, or name another path with --socket")
        case .file:
            throw error("a file that is no socket is in the way; remove it, or name another path with --socket")
        }
    }

    private func checkRuntimeDirectory() throws(ConfigurationError) {
        guard let runtimeDirectory else { return }
        let directory = runtimeDirectory.path
        let name =
            runtimeDirectory.origin == .named
            ? "XDG_RUNTIME_DIR names \(directory)" : "XDG_RUNTIME_DIR is not set, and \(directory) is used"
        guard access(directory, F_OK) != 0 || access(directory, W_OK | X_OK) != 0 else { return }
        let reason = String(cString: strerror(errno))
        let isMissing = errno == ENOENT
        let help =
            switch (isMissing, hasSystemd) {
            case (true, true): "log in as this user, keep its session (loginctl enable-linger), or unset the variable"
            case (true, false): "make the directory (mode 0700), or unset the variable"
            case (false, _): "set XDG_RUNTIME_DIR to a directory of this user"
            }
        throw error("the runtime directory cannot be used: \(reason) (\(name)); \(help), or name a path with --socket")
    }

    private func error(_ message: String) -> ConfigurationError { ConfigurationError(file: path, message: message) }
}
