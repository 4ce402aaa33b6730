// The sockets that the service manager opened for this process and passed to it (sd_listen_fds(3)).
// SPDX-License-Identifier: Apache-2.0

import CSystemd
import Glibc

/// A descriptor passed by the service manager. The receiver owns it.
package struct InheritedSocket: Hashable, Sendable {
    /// The name that `FileDescriptorName=` gives to the socket of gatherd, as every Varlink service has it.
    package static let varlinkName = "varlink"

    package var descriptor: CInt
    /// `FileDescriptorName=` of the socket unit, or its unit's name.
    package var name: String

    package init(descriptor: CInt, name: String) {
        self.descriptor = descriptor
        self.name = name
    }

    /// Whether it is a stream socket of `AF_UNIX` that listens.
    package var isListeningStream: Bool { sd_is_socket(descriptor, AF_UNIX, CInt(SOCK_STREAM.rawValue), 1) > 0 }

    /// Whether the descriptor is no socket of a unit, such as memory or an inotify instance that another version
    /// stored.
    package var isStored: Bool {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return false }
        // A descriptor without a name in a file system, such as a memfd, has no file type.
        return [0, S_IFREG].contains(status.st_mode & S_IFMT)
    }

    /// Returns the passed descriptors in order; empty if there are none. All are set to close on exec. The environment
    /// variables that announced them are removed, so that children do not take them for theirs. Call it once, before
    /// other threads exist, since it changes the environment.
    package static func takeAll() throws(SystemdError) -> [InheritedSocket] {
        var names: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
        // The variables are removed at the end: an error shows them.
        let count = sd_listen_fds_with_names(0, &names)
        defer { sd_listen_fds(1) }
        if count < 0 { throw SystemdError(reading: ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"], errno: -count) }
        // libsystemd allocates the array and each string. Without descriptors, there is no array.
        guard count > 0, let names else { return [] }
        defer { free(names) }
        return (0..<Int(count)).map { index in
            let text = names[index]
            defer { free(text) }
            return InheritedSocket(
                descriptor: SD_LISTEN_FDS_START + CInt(index), name: text.map { String(cString: $0) } ?? "")
        }
    }

    /// Returns the socket to serve: the listening one named `varlink`, else the first listening one; nil if nothing was
    /// passed. If only other descriptors were passed, that is an error: the daemon would listen where no client looks.
    package static func listener(among sockets: [InheritedSocket]) throws(SystemdError) -> InheritedSocket? {
        if sockets.isEmpty { return nil }
        let listening = sockets.filter(\.isListeningStream)
        guard let listener = listening.first(where: { $0.name == varlinkName }) ?? listening.first else {
            throw .noListeningSocket(names: sockets.map(\.name))
        }
        return listener
    }
}
