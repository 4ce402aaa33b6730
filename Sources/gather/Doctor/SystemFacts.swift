// The facts that an examination reads. A test can provide others.
// SPDX-License-Identifier: Apache-2.0

internal import GatherKit
internal import Metadata

/// The machine as ``Doctor`` sees it. No call changes anything.
protocol SystemFacts {
    /// The user that runs the examination.
    var caller: Credentials { get }

    /// Returns the text of a small file; nil if it cannot be read.
    func text(of path: String) -> String?
    /// Returns the entry at a path, symbolic links followed, or an errno.
    func entry(at path: String) -> Result<EntryFacts, EntryFacts.Failure>
    /// Returns the names of the directories in a directory; nil if it cannot be read.
    func directories(in path: String) -> [String]?
    /// Returns the names of all other entries in a directory; nil if it cannot be read.
    func files(in path: String) -> [String]?
    /// Returns a path without symbolic links.
    func resolved(_ path: String) -> String?
    /// Returns the mount on the way to a path that does not answer, and the reason; nil if there is none.
    func silentMount(at path: String) -> (path: String, reason: String)?
    /// Returns the room on the file system of a path; nil if it does not tell.
    func room(at path: String) -> RoomFacts?
    /// Returns the name of a file system that is polled; nil for any other.
    func polledFileSystem(at path: String) -> String?
    /// Returns the paths of all mount points.
    func mountPoints() -> [String]
    /// Returns the output of a program; nil if it does not exist or fails.
    func output(of program: String, _ arguments: [String]) -> String?
    /// Returns facts of the daemon, or a sentence with the reason.
    func daemon() -> Result<DaemonFacts, DaemonFacts.Failure>
    /// Returns the findings of the sharing helper, or a sentence with the reason for which it does not answer.
    func sharing() -> Result<[SharingFinding], DaemonFacts.Failure>
    /// Returns the containers of the configuration, or a sentence with the mistake.
    func configuration(_ file: String) -> Result<ConfigurationFacts, ConfigurationFacts.Failure>
}

/// An entry of the file system.
struct EntryFacts {
    struct Failure: Error { let code: Int32 }

    var access: FileAccess
    var isDirectory: Bool
    var isSocket = false
}

/// The room on a file system.
struct RoomFacts {
    /// The bytes that an ordinary user may still write.
    var free: UInt64
    var size: UInt64
    /// The number of files that may still be made; nil for a file system without such a limit.
    var freeFiles: UInt64?
    var isReadOnly = false

    /// The room in words.
    var text: String {
        freeFiles == 0
            ? "no more files can be made"
            : "\(Readable.size(Int64(clamping: free)))\(free < 1_000 ? " bytes" : "") free"
    }
}

/// A daemon that answered.
struct DaemonFacts {
    struct Failure: Error {
        let message: String
        /// Whether the permissions of the socket refused the connection.
        var isDenied = false
        /// Whether the connection was made, and nothing came.
        var isSilent = false

        /// The message without the command at its end, which a finding has separately.
        var statement: String {
            for remedy in [". Start it with:", ". Restart it with:", ". See its process with:"] {
                if let place = message.firstRange(of: remedy) { return String(message[..<place.lowerBound]) }
            }
            return message
        }
    }

    var version: String
    var process: Int
    /// The watches in use; nil if the caller is not told.
    var watches: Int?
    var watchLimit: Int?
    /// The configured share of the limits; nil if it is unknown.
    var watchShare: Double?
    /// The latest error of saving the state, and the text of the time of the first one.
    var savingError: String?
    var unsavedSince: String?
    /// The number of known media types; nil if it is unknown.
    var contentTypes: Int?
    var overflows = 0
    /// The seconds since its start; nil if they are unknown.
    var uptime: Int?
    var containers: [ContainerFacts] = []
    /// Further metrics by name.
    var metrics: [String: Double] = [:]
}

/// A container, as described by the daemon or by a file.
struct ContainerFacts {
    var identifier: String
    var path: String
    /// The state; nil if only a file was read.
    var state: String?
    var reason: String?
    var directories = 0
    var polled = 0
    /// The polled directories for which there are too few watches.
    var overLimit = 0
    var unreadable = 0
    /// A few of the unreadable directories.
    var unreadablePaths: [String] = []
    /// Whether it is shared with other devices.
    var isShared = false
}

/// The configuration.
struct ConfigurationFacts {
    struct Failure: Error { let message: String }

    var containers: [ContainerFacts] = []
    var watchShare = 0.8
    /// The containers that are left out, with the reason.
    var leftOut: [String] = []
}
