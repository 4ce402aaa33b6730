// The versions of a note in conflict, page by page.
// SPDX-License-Identifier: Apache-2.0

import GatherDocuments
import Glibc

/// Shows one version of a note at a time, and keeps the one that the reader chooses.
struct Pager {
    let path: FilePath
    let trash: Trash

    /// Pages until the reader decides, or the input ends.
    func run() throws {
        try FileVersion.removeIdentical(of: path)
        let versions = try [FileVersion.current(of: path)].compactMap { $0 } + FileVersion.conflicts(of: path)
        guard versions.contains(where: \.isConflict) else { throw Failure("\(path) is not in conflict") }
        var page = 0
        while true {
            let version = versions[page]
            let author = version.author.map { " by \($0)" } ?? ""
            let label = "\(page + 1) of \(versions.count)\(version.isConflict ? "" : ", the current one")"
            let text = String(decoding: try version.contents(), as: UTF8.self)
            Notes.show(["-- version \(label): \(Notes.local(version.modified))\(author)", text])
            if isatty(STDIN_FILENO) == 1 { Notes.warn("[n]ext, [p]revious, [k]eep this one, keep [a]ll, [q]uit") }
            switch readLine() {
            case "n", "": page = (page + 1) % versions.count
            case "p": page = (page + versions.count - 1) % versions.count
            case "a": return try versions.filter(\.isConflict).forEach { try $0.keepAsFile() }
            case "k":
                if version.isConflict { try version.replaceCurrent() }
                // Only versions that the reader has seen go to the trash. Another may have come meanwhile.
                for other in try FileVersion.conflicts(of: path) where versions.contains(where: other.isSameFile) {
                    try other.move(to: trash)
                }
                return
            case "q", nil: return
            default: Notes.warn("the answers are n, p, k, a and q")
            }
        }
    }
}
