// Lists the files in a folder, and lists them again after each change: live-folder DIRECTORY
// SPDX-License-Identifier: Apache-2.0

import GatherKit
import Glibc

@main struct LiveFolder {
    static func main() async {
        guard CommandLine.arguments.count == 2, let folder = realpath(CommandLine.arguments[1], nil) else {
            fail("usage: live-folder DIRECTORY")
        }
        do {
            try await follow(FilePath(platformString: folder))
        } catch {
            fail(error.message)
        }
    }

    /// Shows the folder until the process ends, also after a restart of the daemon.
    static func follow(_ folder: FilePath) async throws(GatherError) {
        let query = MetadataQuery(
            predicate: "NOT hidden == TRUE", scopes: [.directory(folder)], attributes: [.path, .size, .kind],
            sortedBy: [SortKey(.path)])
        try await query.start()
        for try await notification in query.notifications {
            switch notification {
            case .gathered, .updated: show(query.results, in: folder)
            case .reconnecting(let error): print("(\(error.message))")
            default: break
            }
        }
    }

    static func show(_ items: [MetadataItem], in folder: FilePath) {
        print("\(folder): \(items.count) items, \(items.reduce(0) { $0 + ($1.size ?? 0) }) bytes")
        for item in items {
            var path = item.filePath ?? ""
            _ = path.removePrefix(folder)
            print("  \(path)\(item.kind == .directory ? "/" : "")")
        }
        fflush(nil)
    }

    static func fail(_ message: String) -> Never {
        print("live-folder: \(message)")
        exit(1)
    }
}
