// A connected socket with the process behind it.
// SPDX-License-Identifier: Apache-2.0

/// A connection to a daemon that no client has taken yet.
struct DaemonConnection {
    /// The connected, blocking socket. The client closes it.
    let descriptor: Int32
    /// The socket for calls if it is another one.
    var output: Int32?
    /// The process that reaches another machine. It ends when it is released, so the client keeps it.
    let process: RemoteProcess?
}
