// The list of a package's entries that a save leaves for its completion.
// SPDX-License-Identifier: Apache-2.0

internal import LinuxSystem
internal import Metadata
internal import SaveFiles

/// The entries of the package that a save replaces, and the paths that it wrote. It lies in the new package from before the exchange
/// until the old package is gone. If the process is killed in between, the next one tells by it which entries of the old package
/// the save has taken into account, and which ones other programs made after that.
struct PackageManifest: Sendable {
    /// The name in the root folder. Syncthing never sends it, and it is not the temporary name of any document.
    static let name = SaveName.manifest
    private static let header = "gather-package 1"
    /// The largest manifest that is read, in bytes.
    private static let limit = 1 << 26

    /// The entries of the old package that the save has taken into account.
    var known: [[UInt8]: PackageTree.Kind] = [:]
    /// The paths of files in the new package that are not hard links to those of the old one.
    var written: Set<[UInt8]> = []

    init() {}

    /// Records end with a NUL, which no path has.
    var bytes: [UInt8] {
        var bytes = Array("\(PackageManifest.header)\0".utf8)
        for (path, kind) in known {
            switch kind {
            case .file(let stamp, _):
                bytes += Array(
                    "F \(stamp.device) \(stamp.inode) \(stamp.size) \(stamp.modified.seconds) \(stamp.modified.nanoseconds) "
                        .utf8)
            case .folder: bytes += Array("D ".utf8)
            case .link(let target): bytes += Array("L \(target.count) ".utf8) + target
            }
            bytes += path + [0]
        }
        for path in written { bytes += Array("W ".utf8) + path + [0] }
        return bytes + Array("end\0".utf8)
    }

    /// Reads the manifest of a package. One that is damaged is empty: then nothing counts as known, and nothing gets lost.
    init(in root: borrowing Folder) {
        guard let file = try? Entry.openForReading(PackageManifest.name.cString, in: root.number),
            let bytes = try? FileBytes.read(file, limit: PackageManifest.limit)
        else { return }
        let records = bytes.split(separator: 0)
        guard records.first?.elementsEqual(PackageManifest.header.utf8) == true,
            records.last?.elementsEqual("end".utf8) == true
        else { return }
        var manifest = PackageManifest()
        for record in records.dropFirst().dropLast() {
            guard manifest.take(record) else { return }
        }
        self = manifest
    }

    private mutating func take(_ record: ArraySlice<UInt8>) -> Bool {
        let count = record.first == UInt8(ascii: "F") ? 6 : record.first == UInt8(ascii: "L") ? 2 : 1
        let fields = record.split(separator: UInt8(ascii: " "), maxSplits: count, omittingEmptySubsequences: false)
        guard fields.count == count + 1, let path = fields.last.map({ Array($0) }) else { return false }
        let texts = fields.dropLast().map { String(decoding: $0, as: UTF8.self) }
        switch texts[0] {
        case "W": written.insert(path)
        case "D": known[path] = .folder
        case "L":
            guard let length = Int(texts[1]), length >= 0, length <= path.count else { return false }
            known[Array(path[length...])] = .link(target: Array(path[..<length]))
        case "F":
            guard let device = UInt64(texts[1]), let inode = UInt64(texts[2]), let size = Int64(texts[3]),
                let seconds = Int64(texts[4]), let nanoseconds = UInt32(texts[5])
            else { return false }
            let time = EntryStatus.Time(seconds: seconds, nanoseconds: nanoseconds)
            known[path] = .file(FileStamp(device: device, inode: inode, size: size, modified: time), digest: nil)
        default: return false
        }
        return true
    }
}
