// Facts about this machine.
// SPDX-License-Identifier: Apache-2.0

internal import GatherKit
internal import GatherService
internal import Glibc
internal import LinuxSystem
internal import Metadata

/// Facts about this machine, and about the daemon behind a connection.
struct LinuxFacts: SystemFacts {
    let connection: Connection
    /// The sharing helper.
    var helper = SharingSocket.find()

    var caller: Credentials {
        var groups = [gid_t](repeating: 0, count: Int(max(getgroups(0, nil), 0)))
        let count = getgroups(Int32(groups.count), &groups)
        return Credentials(user: geteuid(), groups: groups.prefix(Int(max(count, 0))) + [getegid()])
    }

    private static let longestText = 1 << 20
    /// The largest value that an extended attribute may have (xattr(7)).
    private static let longestList = 65_536

    func text(of path: String) -> String? {
        guard let file = try? Entry.openForReading(path) else { return nil }
        var bytes: [UInt8] = []
        return withUnsafeTemporaryAllocation(byteCount: 16_384, alignment: 1) { buffer in
            while bytes.count < LinuxFacts.longestText {
                guard let count = try? file.read(into: buffer) else { return nil }
                if count == 0 { break }
                bytes += buffer[..<count]
            }
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    func entry(at path: String) -> Result<EntryFacts, EntryFacts.Failure> {
        var status = stat()
        guard stat(path, &status) == 0 else { return .failure(EntryFacts.Failure(code: errno)) }
        let kind = status.st_mode & S_IFMT
        // An access control list adds to the mode.
        var list = AccessListID.none
        if kind == S_IFDIR || kind == S_IFREG, let resolved = resolved(path), let slash = resolved.lastIndex(of: "/"),
            let directory = try? Directory.open(kind == S_IFDIR ? resolved : "/" + resolved[..<slash], access: .path)
        {
            let name = kind == S_IFDIR ? "" : String(resolved[slash...].dropFirst())
            withUnsafeTemporaryAllocation(byteCount: LinuxFacts.longestList, alignment: 8) { buffer in
                let count = try? ExtendedAttributes.get(
                    AccessLists.attribute, of: name, in: directory.number, into: buffer)
                if let count = count ?? nil { list = AccessLists.intern(Array(buffer[..<count]), owner: status.st_uid) }
            }
        }
        return .success(
            EntryFacts(
                access: FileAccess(
                    mode: UInt16(status.st_mode & 0o7777), owner: status.st_uid, group: status.st_gid, accessList: list),
                isDirectory: kind == S_IFDIR, isSocket: kind == S_IFSOCK))
    }

    func directories(in path: String) -> [String]? { names(in: path, directories: true) }

    func files(in path: String) -> [String]? { names(in: path, directories: false) }

    private func names(in path: String, directories: Bool) -> [String]? {
        guard let stream = opendir(path) else { return nil }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let isDirectory = Int32(entry.pointee.d_type) == DT_DIR
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if isDirectory == directories, name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    func resolved(_ path: String) -> String? { MountPaths.resolve(path) }

    func silentMount(at path: String) -> (path: String, reason: String)? {
        MountPaths.failure(at: path).map { ($0.mount.text, $0.error == .timedOut ? "does not answer" : "\($0.error)") }
    }

    func room(at path: String) -> RoomFacts? {
        var figures = statvfs()
        guard statvfs(path, &figures) == 0 else { return nil }
        func bytes(_ blocks: UInt64) -> UInt64 {
            let (bytes, overflow) = blocks.multipliedReportingOverflow(by: UInt64(figures.f_frsize))
            return overflow ? .max : bytes
        }
        return RoomFacts(
            free: bytes(UInt64(figures.f_bavail)), size: bytes(UInt64(figures.f_blocks)),
            freeFiles: figures.f_files == 0 ? nil : UInt64(figures.f_favail),
            isReadOnly: figures.f_flag & UInt(ST_RDONLY) != 0)
    }

    func polledFileSystem(at path: String) -> String? { PolledFileSystem.name(at: path) }

    func mountPoints() -> [String] {
        ((try? MountTable.read()) ?? []).map { String(decoding: $0.path, as: UTF8.self) }
    }

    func output(of program: String, _ arguments: [String]) -> String? {
        guard let path = ["/usr/bin/", "/bin/"].map({ $0 + program }).first(where: { access($0, X_OK) == 0 }) else {
            return nil
        }
        return Program.output(of: ([path] + arguments).map { Array($0.utf8) }).map {
            String(decoding: $0, as: UTF8.self)
        }
    }

    func daemon() -> Result<DaemonFacts, DaemonFacts.Failure> {
        do throws(GatherError) {
            var client = try connection.connect()
            let status = try client.status()
            let metrics = try client.metrics()
            let containers = try client.containers()
            return .success(
                DaemonFacts(
                    version: status.version, process: status.processID, watches: status.watches,
                    watchLimit: status.watchLimit, watchShare: status.watchShare, savingError: status.savingError,
                    unsavedSince: status.unsavedSince.map { Readable.time($0) }, contentTypes: status.contentTypes,
                    overflows: status.overflows,
                    uptime: status.started.map { Int(Readable.seconds(from: $0, to: .now)) },
                    containers: containers.map { container in
                        ContainerFacts(
                            identifier: container.identifier.rawValue, path: container.path,
                            state: container.state.rawValue,
                            reason: container.reason, directories: container.directories, polled: container.polled,
                            overLimit: container.overLimit,
                            unreadable: container.unreadable, unreadablePaths: container.unreadablePaths,
                            isShared: container.sync != nil)
                    },
                    metrics: Dictionary(
                        metrics.filter(\.labels.isEmpty).map { ($0.name, $0.value) },
                        uniquingKeysWith: { first, _ in first })
                ))
        } catch {
            let isDenied = access(connection.daemon.path, F_OK) == 0 && access(connection.daemon.path, W_OK) != 0
            return .failure(
                DaemonFacts.Failure(
                    message: error.message, isDenied: isDenied, isSilent: error.code == .notAnswering))
        }
    }

    func sharing() -> Result<[SharingFinding], DaemonFacts.Failure> {
        do throws(GatherError) {
            var client = try BlockingSharingClient(helper)
            return .success(try client.check())
        } catch {
            return .failure(
                DaemonFacts.Failure(
                    message: error.message, isDenied: error.code == .permissionDenied,
                    isSilent: error.code == .notAnswering))
        }
    }

    func configuration(_ file: String) -> Result<ConfigurationFacts, ConfigurationFacts.Failure> {
        do throws(ConfigurationError) {
            let read = try ConfigurationLoader.load(file: file, required: false, overlaps: .tolerated)
            return .success(
                ConfigurationFacts(
                    containers: read.containers.map {
                        ContainerFacts(identifier: $0.identifier, path: $0.path, isShared: $0.sync != nil)
                    },
                    watchShare: read.watchShare, leftOut: read.leftOut.map { "\($0); it is left out" }))
        } catch {
            return .failure(ConfigurationFacts.Failure(message: "\(error)"))
        }
    }
}

/// The system's messages for errno values.
enum SystemMessage {
    static func text(_ code: Int32) -> String { String(cString: strerror(code)) }
}
