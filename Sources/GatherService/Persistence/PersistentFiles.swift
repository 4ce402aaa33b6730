// The files of the saved state, by name.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinuxSystem
import MetadataIndex
import SaveFiles
import SystemPackage

/// The files of the saved state: `index-ID` for each container, and `journal-NUMBER` in the order of numbers. Usable
/// from any thread.
struct PersistentFiles: Sendable {
    let directory: String

    private static let indexPrefix = "index-"
    private static let journalPrefix = "journal-"
    /// The suffix of a file that was set aside.
    static let damaged = ".damaged"
    /// The suffix of a segment after which published changes are missing.
    private static let cut = ".cut"
    private static let unfinished = ".new"
    /// The limit of an identifier in a file name, which has 255 bytes (`NAME_MAX`) with its prefix and suffix.
    private static let longestIdentifier = 200

    init(stateDirectory: String) { directory = stateDirectory + "/saved" }

    func makeDirectory() throws(SystemError) { try Directory.makeWithParents(directory) }

    // MARK: Names

    /// Returns the file name of a container's index: its identifier. An identifier that is too long, or that ends like
    /// the name of another file, is replaced by its beginning and a fingerprint.
    static func indexName(_ identifier: String) -> String {
        guard
            identifier.utf8.count > longestIdentifier || identifier.hasSuffix(unfinished)
                || identifier.hasSuffix(damaged)
        else { return indexPrefix + identifier }
        var fingerprint = Fingerprint()
        fingerprint.combine(identifier)
        let beginning = String(decoding: identifier.utf8.prefix(longestIdentifier), as: UTF8.self)
        return "\(indexPrefix)\(beginning)~\(String(fingerprint.value, radix: 16))"
    }

    static func journalName(_ number: UInt64) -> String {
        let digits = String(number)
        return journalPrefix + String(repeating: "0", count: max(0, 10 - digits.count)) + digits
    }

    func path(_ name: String) -> String { directory + "/" + name }

    /// Returns the names of all indexes, and of all segments in order of their numbers. `isCut` says whether changes
    /// are missing after a segment. Removes unfinished files.
    func list() -> (indexes: [String], segments: [(name: String, number: UInt64, isCut: Bool)]) {
        var indexes: [String] = []
        var segments: [(name: String, number: UInt64, isCut: Bool)] = []
        for name in (try? Directory.names(in: directory)) ?? [] {
            if name.hasSuffix(PersistentFiles.unfinished) {
                try? Entry.remove(path(name))
            } else if name.hasSuffix(PersistentFiles.damaged) {
                continue
            } else if name.hasPrefix(PersistentFiles.indexPrefix) {
                indexes.append(name)
            } else if name.hasPrefix(PersistentFiles.journalPrefix) {
                var digits = name.dropFirst(PersistentFiles.journalPrefix.count)
                let isCut = digits.hasSuffix(PersistentFiles.cut)
                if isCut { digits = digits.dropLast(PersistentFiles.cut.count) }
                if let number = UInt64(digits), number <= JournalFormat.largestNumber {
                    segments.append((name, number, isCut))
                }
            }
        }
        return (indexes, segments.sorted { $0.number < $1.number })
    }

    // MARK: Files

    /// Renames an unusable file out of the way, for later inspection. It replaces one set aside under the same name; of
    /// segments only one is kept.
    func setAside(_ name: String) {
        let kept = name.hasPrefix(PersistentFiles.journalPrefix) ? "journal" : name
        try? Entry.rename(path(name), to: path(kept + PersistentFiles.damaged))
    }

    /// Records that changes after a segment are missing. A rename works even on a full disk.
    func markCut(_ name: String) { try? Entry.rename(path(name), to: path(name + PersistentFiles.cut)) }

    func remove(_ name: String) { try? Entry.remove(path(name)) }

    /// Removes a segment, marked or not.
    func removeSegment(_ number: UInt64) {
        let name = PersistentFiles.journalName(number)
        remove(name)
        remove(name + PersistentFiles.cut)
    }

    /// Writes a new file and renames it to its name, so that a full disk or a loss of power leaves the old one. Calls
    /// `before` when the new file is on the disk, before the rename.
    func write(
        _ name: String, before: () throws(SystemError) -> Void,
        _ body: ((UnsafeRawBufferPointer) throws(SystemError) -> Void) throws(SystemError) -> Void
    ) throws(SystemError) {
        try FileReplacement.replace(
            path(name), through: .named(name + PersistentFiles.unfinished), ready: before
        ) { file throws(SystemError) in
            try body { (bytes) throws(SystemError) in try file.writeAll(bytes) }
        }
    }

    /// Forces new and renamed files to the disk, which takes an fsync(2) of their directory.
    func synchronizeDirectory() throws(SystemError) { try open().synchronize() }

    /// Opens the directory for fsync(2).
    func open() throws(SystemError) -> Descriptor { try Directory.open(directory, access: .reading) }

    /// Reads a whole file of at most `limit` bytes.
    func read(_ name: String, limit: Int) throws(RestoreError) -> [UInt8] {
        let source = try SavedFile(path(name))
        guard source.byteCount <= limit else { throw .malformed("a file of \(source.byteCount) bytes") }
        var failure: RestoreError?
        let bytes = [UInt8](unsafeUninitializedCapacity: source.byteCount) { buffer, count in
            do throws(RestoreError) {
                try source.read(at: 0, into: UnsafeMutableRawBufferPointer(buffer))
                count = buffer.count
            } catch {
                failure = error
                count = 0
            }
        }
        if let failure { throw failure }
        return bytes
    }
}

/// A file of the saved state that is read at any offset.
final class SavedFile: SnapshotSource {
    private let file: Descriptor
    let byteCount: Int

    init(_ path: String) throws(RestoreError) {
        do throws(SystemError) {
            file = try Entry.openForReading(path)
            byteCount = try file.size()
        } catch {
            throw .unreadable("\(error)")
        }
    }

    func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(RestoreError) {
        do throws(SystemError) {
            guard try file.read(into: buffer, at: offset) == buffer.count else { throw SystemError.noData }
        } catch {
            throw error == .noData ? .truncated : .unreadable("\(error)")
        }
    }
}
