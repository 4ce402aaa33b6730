// What an examination asks of the machine, so that a test can play another.
// SPDX-License-Identifier: Apache-2.0

internal import Metadata

/// The machine as ``Doctor`` sees it. Nothing here changes anything.
protocol SystemFacts {
    /// Who looks.
    var caller: Credentials { get }

    /// The text of a small file; nil where it cannot be read.
    func text(of path: String) -> String?
    /// What lies at a path, symbolic links followed; or the errno that prevented the look.
    func entry(at path: String) -> Result<EntryFacts, EntryFacts.Failure>
    /// The directories right in a directory; nil where it cannot be read.
    func directories(in path: String) -> [String]?
    /// The names of what else lies right in a directory; nil where it cannot be read.
    func files(in path: String) -> [String]?
    /// A path without symbolic links.
    func resolved(_ path: String) -> String?
    /// Bytes that are free for an ordinary user.
    func freeBytes(at path: String) -> UInt64?
    /// The name of a file system that is changed elsewhere without this machine hearing of it; nil for any other.
    func polledFileSystem(at path: String) -> String?
    /// Where something is mounted.
    func mountPoints() -> [String]
    /// What a program prints; nil where there is none, or it fails.
    func output(of program: String, _ arguments: [String]) -> String?
    /// The daemon, or a sentence on why it cannot be asked.
    func daemon() -> Result<DaemonFacts, DaemonFacts.Failure>
    /// The containers of the configuration, or a sentence on what is wrong with it.
    func configuration(_ file: String) -> Result<ConfigurationFacts, ConfigurationFacts.Failure>
}

/// What lies at a path.
struct EntryFacts {
    struct Failure: Error { let code: Int32 }

    var access: FileAccess
    var isDirectory: Bool
    var isSocket = false
}

/// A daemon that answers.
struct DaemonFacts {
    struct Failure: Error {
        let message: String
        /// Whether it is the socket's permissions that are in the way.
        var isDenied = false
    }

    var version: String
    var process: Int
    /// Nil where the caller is not told.
    var watches: Int?
    var watchLimit: Int?
    var overflows = 0
    /// Seconds since its start; nil where that is not known.
    var uptime: Int?
    var containers: [ContainerFacts] = []
    /// What else it measures, by name.
    var metrics: [String: Double] = [:]
}

/// A container, as the daemon or a file describes it.
struct ContainerFacts {
    var identifier: String
    var path: String
    /// Nil where only a file was read.
    var state: String?
    var reason: String?
    var directories = 0
    var polled = 0
    var unreadable = 0
}

/// What the configuration says.
struct ConfigurationFacts {
    struct Failure: Error { let message: String }

    var containers: [ContainerFacts] = []
    var watchShare = 0.8
    /// What was left out, and why.
    var leftOut: [String] = []
}
