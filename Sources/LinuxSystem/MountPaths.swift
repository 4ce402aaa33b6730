// Paths and the mounts on the way, followed without a call that waits for the server of one.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization

/// Follows paths as far as the first mount that may hang.
package enum MountPaths {
    /// How many symlinks the kernel follows (path_resolution(7)), and how long one may be (`PATH_MAX`).
    private static let symlinkCount = 40
    private static let symlinkLength = 4_096

    private struct Cache {
        var changes: MountChanges?
        var mounts: Set<Mount> = []
    }

    private static let cache = Mutex(Cache())

    /// Returns the table of mounts, which is read again after each change. Empty if it cannot be read. From any thread.
    package static func mounts() -> Set<Mount> {
        cache.withLock { cache in
            if let changes = cache.changes, !changes.take() { return cache.mounts }
            // Opened before the table is read, so that a change during the read is told.
            if cache.changes == nil { cache.changes = try? MountChanges() }
            if let mounts = try? MountTable.read() { cache.mounts = mounts }
            return cache.mounts
        }
    }

    /// The mounts that may hang. A root directory on a server is none of them: no process works without that.
    private static var mountsThatMayHang: Set<Mount> { mounts().filter { $0.mayHang && $0.path.count > 1 } }

    /// Returns the path with its symlinks followed, as realpath(3) does. Stops at the first mount that may hang: the rest of
    /// the path stays as it is, and may not exist. Nil if the path does not exist before that.
    package static func resolve(_ path: String) -> String? {
        let mounts = mountsThatMayHang
        guard !mounts.isEmpty else {
            guard let resolved = realpath(path, nil) else { return nil }
            defer { free(resolved) }
            return String(cString: resolved)
        }
        guard path.utf8.first == UInt8(ascii: "/") else {
            guard let here = getcwd(nil, 0) else { return nil }
            defer { free(here) }
            return resolve(String(cString: here) + "/" + path)
        }
        return resolve(Array(path.utf8), Set(mounts.map(\.path))).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Returns an absolute path with its symlinks followed up to the first mount that may hang. Nil if the path does not exist
    /// before that.
    package static func resolve(_ path: [UInt8]) -> [UInt8]? { resolve(path, Set(mountsThatMayHang.map(\.path))) }

    /// Whether something is mounted on a directory or a file, by the table of mounts alone.
    package static func isMountPoint(_ path: String) -> Bool {
        guard let resolved = resolve(path) else { return false }
        let bytes = Array(resolved.utf8)
        return mounts().contains { $0.path == bytes }
    }

    /// Returns the mount that may hang on the way to a path, the innermost of several; nil for none.
    package static func mountThatMayHang(_ path: String) -> Mount? {
        guard let resolved = resolve(path) else { return nil }
        return innermost(of: mountsThatMayHang, holding: Array(resolved.utf8))
    }

    /// Returns the mount on which a path lies, if a mount that may hang is on the way there; nil otherwise.
    package static func mountBehindServers(_ path: String) -> Mount? {
        guard mountThatMayHang(path) != nil, let resolved = resolve(path) else { return nil }
        return innermost(of: mounts(), holding: Array(resolved.utf8))
    }

    /// How long a command waits for the server of a mount. In nanoseconds.
    package static let usualLimit: UInt64 = 2_000_000_000

    /// Returns the error of a mount on the way to a path that does not answer within a time, in nanoseconds. Nil if it answers,
    /// or if there is no such mount. Starts a process.
    package static func failure(
        at path: String, within limit: UInt64 = usualLimit
    ) -> (mount: Mount, error: SystemError)? {
        guard let mount = mountThatMayHang(path), let resolved = resolve(path) else { return nil }
        do throws(SystemError) {
            _ = try MountAgent(inotify: nil, limit: limit, answered: {}).status(of: resolved, in: nil)
            return nil
        } catch {
            return error.isOfMount ? (mount, error) : nil
        }
    }

    /// Returns the innermost of these mounts that holds a path without symlinks. If several are on one directory, the
    /// last counts.
    package static func innermost(of mounts: some Sequence<Mount>, holding path: [UInt8]) -> Mount? {
        mounts.filter { holds($0.path, path) }.max { ($0.path.count, $0.number) < ($1.path.count, $1.number) }
    }

    /// Whether the inner path is the outer one or lies below it.
    package static func holds(_ outer: [UInt8], _ inner: [UInt8]) -> Bool {
        if outer == [UInt8(ascii: "/")] { return inner.first == UInt8(ascii: "/") }
        return inner.starts(with: outer) && (inner.count == outer.count || inner[outer.count] == UInt8(ascii: "/"))
    }

    /// Returns the absolute path with its symlinks followed, up to the first of `ends`. Nil if it does not exist before that.
    package static func resolve(_ path: [UInt8], _ ends: Set<[UInt8]>) -> [UInt8]? {
        let slash = UInt8(ascii: "/")
        var rest = Array(path.split(separator: slash).map(Array.init).reversed())
        var place: [[UInt8]] = []
        var symlinks = 0
        while let name = rest.popLast() {
            if name == [UInt8(ascii: ".")] { continue }
            if name == [UInt8(ascii: "."), UInt8(ascii: ".")] {
                _ = place.popLast()
                continue
            }
            place.append(name)
            let here = place.flatMap { [slash] + $0 }
            if ends.contains(here) { return here + rest.reversed().flatMap { [slash] + $0 } }
            switch symlink(here) {
            case .failure(.invalid): continue
            case .failure: return nil
            case .success(let target):
                symlinks += 1
                guard symlinks <= symlinkCount, !target.isEmpty else { return nil }
                place = target[0] == slash ? [] : Array(place.dropLast())
                rest.append(contentsOf: target.split(separator: slash).map(Array.init).reversed())
            }
        }
        return place.isEmpty ? [slash] : place.flatMap { [slash] + $0 }
    }

    private static func symlink(_ path: [UInt8]) -> Result<[UInt8], SystemError> {
        let text = path.map(CChar.init(bitPattern:)) + [0]
        return withUnsafeTemporaryAllocation(byteCount: symlinkLength, alignment: 1) { buffer in
            do throws(SystemError) {
                return .success(Array(buffer[..<(try Entry.readSymlink(text, into: buffer))]))
            } catch {
                return .failure(error)
            }
        }
    }
}
