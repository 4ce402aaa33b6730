// A file in conflict on the command line.
// SPDX-License-Identifier: Apache-2.0

internal import GatherDocuments
internal import GatherKit
internal import Glibc

/// A file in conflict, by its own path or by that of one of its versions.
struct ConflictPlace {
    /// The absolute path of the file.
    let original: FilePath
    /// The path for people.
    var shown: String { DisplayText.escaped(original.bytes) }

    init(_ argument: [UInt8]) throws(Failure) {
        let text = String(decoding: argument, as: UTF8.self)
        try SilentMount.check(text)
        let slash = argument.lastIndex(of: UInt8(ascii: "/"))
        let name = Array(argument[(slash.map { $0 + 1 } ?? 0)...])
        let folder = slash.map { $0 == 0 ? [UInt8(ascii: "/")] : Array(argument[..<$0]) } ?? [UInt8(ascii: ".")]
        guard !name.isEmpty else {
            throw Failure("\(DisplayText.escaped(argument)): \(String(cString: strerror(EISDIR)))")
        }
        let real: [UInt8]
        do throws(DocumentError) { real = try PathEntry.resolved(folder: folder) } catch {
            guard error.code != .symbolicLink, let code = error.errno else {
                throw Failure(DisplayText.escaped(error.message))
            }
            throw Failure("\(DisplayText.escaped(argument)): \(String(cString: strerror(code)))")
        }
        let prefix = real == [UInt8(ascii: "/")] ? real : real + [UInt8(ascii: "/")]
        original = FilePath(bytes: prefix + (ConflictName(name)?.original ?? name))
    }

    /// Refuses a place where a directory or another kind has the name of the file by now.
    func requireFile() throws(Failure) {
        let isOther = original.withPlatformString { path in
            var status = stat()
            return lstat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFREG
        }
        guard isOther else { return }
        throw Failure(
            "\(shown) is not a regular file by now; --keep both keeps its versions as files")
    }

    /// Returns the version that a number in the list or a path names.
    func version(_ text: String, of versions: [FileVersion], _ all: [FileVersion]) throws -> FileVersion {
        if let number = Int(text), versions.indices.contains(number - 1) { return versions[number - 1] }
        if let name = FilePath(text).lastComponent, let version = all.first(where: { $0.path.lastComponent == name }) {
            return version
        }
        throw Failure(
            status: ExitStatus.usage,
            "\(shown) has no version '\(DisplayText.escaped(text))'; it has current, newest, both, and 1 to "
                + "\(versions.count)")
    }

    /// Returns the versions whose contents are not those of the file.
    func distinct(_ versions: [FileVersion]) throws -> [FileVersion] {
        guard let current = try FileVersion.current(of: original) else { return versions }
        let bytes = try current.contents()
        return try versions.filter { try $0.size != current.size || $0.contents() != bytes }
    }

    /// Returns the trash of the container that holds the file.
    func trash(_ connection: Connection) throws -> Trash {
        let containers: [ContainerStatus]
        do throws(GatherError) {
            var client = try connection.connect()
            containers = try client.containers()
        } catch {
            throw Failure(status: ExitStatus.unreachable, "\(error.message); without a daemon, use --delete")
        }
        for container in containers {
            let path = FilePath(container.path)
            if original.starts(with: path) { return Trash(container: path) }
            // The container may be configured by a path with symbolic links.
            guard let real = FilePlace.resolved(path.bytes).map({ FilePath(bytes: $0) }) else { continue }
            if original.starts(with: real) { return Trash(container: real) }
        }
        throw Failure("\(shown) is in no container, so it has no trash; use --delete")
    }
}
