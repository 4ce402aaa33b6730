// One save, for tests that kill it after each of its system calls.
// SPDX-License-Identifier: Apache-2.0

import GatherDocuments
import Glibc
import LinuxSystem
import SaveFiles

/// One save of the file `a.txt` in a folder, on the main thread.
enum OneSave: String {
    /// Saves the first contents of a document.
    case first
    /// Saves new contents over the current ones.
    case over
    /// Makes the only version in conflict the current one. The current one becomes a version.
    case replaceCurrent = "replace-current"
    /// Keeps contents as a version in conflict.
    case add
    /// Completes the save of another process that was killed.
    case complete
    /// Replaces the file without looking at what others saved.
    case replace

    /// Prints `ready`, waits for a line, and saves.
    func run(in folder: String) throws {
        let path = folder + "/a.txt"
        let device = DeviceIdentifier(text: "ABCDEFG", name: "saver")!
        // Whatever a save looks up once is looked up before.
        _ = try DeviceIdentifier.current()
        let current = try FileVersion.current(of: FilePath(path))
        let contents = try current?.contents()
        let version = try FileVersion.conflicts(of: FilePath(path)).first
        print("ready")
        fflush(nil)
        _ = readLine()
        switch self {
        case .first, .over:
            try FileVersion.save(Array("new".utf8), of: FilePath(path), over: current, contents, trash: nil)
        case .replaceCurrent: try version?.replaceCurrent()
        case .add: try FileVersion.add(Array("new".utf8), to: FilePath(path))
        case .complete: _ = try LeftSave.attempt(Array("a.txt".utf8), inFolder: Array(folder.utf8), device: device.text)
        case .replace: try FileReplacement.replace(path, through: .named("a.new"), with: Array("new".utf8))
        }
    }
}
