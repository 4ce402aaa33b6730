// The files of the saved state, by name.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinuxSystem
import MetadataIndex
import SystemPackage

/// The files of the saved state: `index-ID`, one for each container, and `journal-NUMBER`, in the order of their numbers.
/// From any thread.
struct SavedStateFiles: Sendable {
    let directory: String

    private static let indexPrefix = "index-"
    private static let journalPrefix = "journal-"
    /// Behind the name of a file that is set aside.
    private static let damaged = ".damaged"
    /// Behind the name of a segment after which changes were told that are not in it.
    private static let cut = ".cut"
    private static let unfinished = ".new"
    /// The longest part of a container's identifier in a file's name, which has 255 bytes, and more behind it.
    private static let longestIdentifier = 200

    init(stateDirectory: String) { directory = stateDirectory + "/saved" }

    func makeDirectory() throws(SystemError) { try StateDirectory.makeWithParents(directory) }

    // MARK: Names

    /// The name for a container's index: its identifier. Of one that is too long it is the beginning and a fingerprint, and
    /// so it is of one that ends as the names of other files do.
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

    /// The names of all indexes and of all segments, the latter with their numbers and whether changes are missing behind
    /// them, in order; unfinished files are removed.
    func list() -> (indexes: [String], segments: [(name: String, number: UInt64, isCut: Bool)]) {
        var indexes: [String] = []
        var segments: [(name: String, number: UInt64, isCut: Bool)] = []
        for name in (try? DirectoryNames.sorted(in: directory)) ?? [] {
            if name.hasSuffix(SavedStateFiles.unfinished) {
                try? Entry.remove(path(name))
            } else if name.hasSuffix(SavedStateFiles.damaged) {
                continue
            } else if name.hasPrefix(SavedStateFiles.indexPrefix) {
                indexes.append(name)
            } else if name.hasPrefix(SavedStateFiles.journalPrefix) {
                var digits = name.dropFirst(SavedStateFiles.journalPrefix.count)
                let isCut = digits.hasSuffix(SavedStateFiles.cut)
                if isCut { digits = digits.dropLast(SavedStateFiles.cut.count) }
                if let number = UInt64(digits), number <= JournalFormat.largestNumber {
                    segments.append((name, number, isCut))
                }
            }
        }
        return (indexes, segments.sorted { $0.number < $1.number })
    }

    // MARK: Files

    /// Puts a file out of the way that is of no use, for whoever wants to look at it; one that was set aside under the same
    /// name before is replaced, and of segments only one is kept.
    func setAside(_ name: String) {
        let kept = name.hasPrefix(SavedStateFiles.journalPrefix) ? "journal" : name
        try? Entry.rename(path(name), to: path(kept + SavedStateFiles.damaged))
    }

    /// Says of a segment that what followed it is not on disk: a rename takes no room.
    func markCut(_ name: String) { try? Entry.rename(path(name), to: path(name + SavedStateFiles.cut)) }

    func remove(_ name: String) { try? Entry.remove(path(name)) }

    /// Removes a segment, whether it is marked or not.
    func removeSegment(_ number: UInt64) {
        let name = SavedStateFiles.journalName(number)
        remove(name)
        remove(name + SavedStateFiles.cut)
    }

    /// Writes a file beside and renames it, so that a full disk or a power cut leaves the old one. `before` is called when
    /// it is on the disk under its other name.
    func write(
        _ name: String, before: () throws(SystemError) -> Void,
        _ body: ((UnsafeRawBufferPointer) throws(SystemError) -> Void) throws(SystemError) -> Void
    ) throws(SystemError) {
        let aside = path(name + SavedStateFiles.unfinished)
        do throws(SystemError) {
            let file = try Entry.openForWriting(aside, mode: 0o600, truncate: true)
            try body { (bytes) throws(SystemError) in try file.writeAll(bytes) }
            try file.synchronize()
            try before()
            try Entry.rename(aside, to: path(name))
            try synchronizeDirectory()
        } catch {
            try? Entry.remove(aside)
            throw error
        }
    }

    /// What was renamed or made is on the disk only with its directory.
    func synchronizeDirectory() throws(SystemError) { try open().synchronize() }

    /// The directory, to be forced to the disk.
    func open() throws(SystemError) -> Descriptor { try Directory.open(directory, access: .reading) }

    /// A whole file in memory, of `limit` bytes at most.
    func read(_ name: String, limit: Int) throws(SavedStateError) -> [UInt8] {
        let source = try SavedFile(path(name))
        guard source.byteCount <= limit else { throw .malformed("a file of \(source.byteCount) bytes") }
        var failure: SavedStateError?
        let bytes = [UInt8](unsafeUninitializedCapacity: source.byteCount) { buffer, count in
            do throws(SavedStateError) {
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

/// A file of the saved state, to be read at any place.
final class SavedFile: SnapshotSource {
    private let file: Descriptor
    let byteCount: Int

    init(_ path: String) throws(SavedStateError) {
        do throws(SystemError) {
            file = try Entry.openForReading(path)
            byteCount = try file.size()
        } catch {
            throw .unreadable("\(error)")
        }
    }

    func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(SavedStateError) {
        do throws(SystemError) {
            guard try file.read(into: buffer, at: offset) == buffer.count else { throw SystemError.noData }
        } catch {
            throw error == .noData ? .truncated : .unreadable("\(error)")
        }
    }
}
