// The contents of a file in a package, in memory or still on disk.
// SPDX-License-Identifier: Apache-2.0

internal import LinuxSystem
internal import Metadata
internal import SaveFiles
internal import Synchronization

/// The contents of a file in a package. Two packages with the same node have the same file, so a save compares identities and
/// reads nothing.
final class PackageNode: Sendable {
    private enum State {
        case memory([UInt8])
        case disk(PackageSource, path: [UInt8], FileStamp)
    }

    private let state: Mutex<State>

    init(_ bytes: [UInt8]) { state = Mutex(.memory(bytes)) }

    init(in source: PackageSource, at path: [UInt8], _ stamp: FileStamp) {
        state = Mutex(.disk(source, path: path, stamp))
    }

    var size: Int {
        state.withLock {
            switch $0 {
            case .memory(let bytes): bytes.count
            case .disk(_, _, let stamp): Int(clamping: stamp.size)
            }
        }
    }

    /// The time of the last change on disk; nil for new contents.
    var modified: Timestamp? {
        state.withLock {
            guard case .disk(_, _, let stamp) = $0 else { return nil }
            return Timestamp(seconds: stamp.modified.seconds, nanoseconds: Int64(stamp.modified.nanoseconds))
        }
    }

    var isInMemory: Bool {
        state.withLock { if case .memory = $0 { true } else { false } }
    }

    /// Returns the contents. `invalidVersion` if the file on disk is another one now.
    func contents() throws(DocumentError) -> [UInt8] {
        switch state.withLock({ $0 }) {
        case .memory(let bytes): return bytes
        case .disk(let source, let path, let stamp): return try source.read(path, stamp)
        }
    }

    /// The file lies there now. Contents in memory stay there.
    func move(to source: PackageSource, at path: [UInt8], _ stamp: FileStamp) {
        state.withLock {
            guard case .disk = $0 else { return }
            $0 = .disk(source, path: path, stamp)
        }
    }

    /// Reads the contents into memory, since the file is about to go. An undo may need them. Returns the number of bytes.
    func keepInMemory() -> Int {
        guard !isInMemory, let bytes = try? contents() else { return 0 }
        state.withLock { $0 = .memory(bytes) }
        return bytes.count
    }
}
