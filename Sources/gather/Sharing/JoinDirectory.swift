// The directory of a container that another device shares.
// SPDX-License-Identifier: Apache-2.0

internal import GatherKit
internal import Glibc
internal import Metadata

/// A directory for a container that another device shares.
struct JoinDirectory {
    /// Whether a name is one of Syncthing or Gather, which is no file of a user.
    private static func isOwn(_ name: String) -> Bool {
        [".", "..", ArchiveName.own].contains(name) || SyncthingName.isName(name.utf8)
    }

    private let path: String

    /// Returns the directory for a container without `--path`: in the home directory, and of root in `/srv`.
    static func usual(_ container: String) throws(Failure) -> String {
        let isName = !container.isEmpty && !container.hasPrefix(".") && !container.contains("/")
        guard isName else {
            throw Failure(
                status: ExitStatus.usage, "'\(DisplayText.escaped(container))' is no name of a container")
        }
        if geteuid() == 0 { return "/srv/" + container }
        guard let home = getenv("HOME").map({ String(cString: $0) }), home.hasPrefix("/") else {
            throw Failure(status: ExitStatus.usage, "HOME is not set; name the directory with --path")
        }
        return home + "/" + container
    }

    init(_ path: String) throws(Failure) {
        try SilentMount.check(path)
        guard !path.isEmpty else { throw Failure(status: ExitStatus.usage, "--path wants a directory") }
        self.path = path
    }

    /// Makes the directory and those above it. Fails if it has files and may have none.
    func make(mayHaveFiles: Bool) throws(Failure) {
        try makeParents()
        guard mkdir(path, 0o777) != 0 else { return }
        let code = errno
        var status = stat()
        guard code == EEXIST, stat(path, &status) == 0 else { throw failure(code) }
        guard status.st_mode & S_IFMT == S_IFDIR else { throw failure(ENOTDIR) }
        guard !mayHaveFiles, let name = try firstName() else { return }
        throw Failure(
            "\(DisplayText.escaped(path)) has files already, such as \(DisplayText.escaped(name)). To merge them with those "
                + "of the other device, add --merge; else name another directory with --path")
    }

    /// Returns the path as gatherd has it.
    func resolved() throws(Failure) -> String { try RealPath.text(path) }

    private func failure(_ code: Int32, _ place: String? = nil) -> Failure {
        Failure("\(DisplayText.escaped(place ?? path)) cannot be made: \(String(cString: strerror(code)))")
    }

    private func makeParents() throws(Failure) {
        var place = path.startIndex
        while let slash = path[place...].firstIndex(of: "/") {
            place = path.index(after: slash)
            let parent = String(path[..<slash])
            guard !parent.isEmpty, mkdir(parent, 0o777) != 0 else { continue }
            let code = errno
            var status = stat()
            // A file system that is read-only says so before it says that the directory exists.
            guard stat(parent, &status) == 0 else { throw failure(code, parent) }
        }
    }

    /// Returns the first name that is a user's; nil in an empty directory.
    private func firstName() throws(Failure) -> String? {
        guard let stream = opendir(path) else {
            throw Failure("\(DisplayText.escaped(path)): \(String(cString: strerror(errno)))")
        }
        defer { closedir(stream) }
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if !JoinDirectory.isOwn(name) { return name }
        }
        return nil
    }
}
