// Prints the largest files that gatherd knows, found by a predicate of Foundation: large-files [BYTES]
// SPDX-License-Identifier: Apache-2.0

import Foundation
import GatherFoundation
import GatherKit

@main struct LargeFiles {
    static func main() async {
        do {
            try await printFiles(ofAtLeast: Int64(CommandLine.arguments.dropFirst().first ?? "") ?? 1_000_000)
        } catch {
            // An error that leaves `main` would end the program with a trap.
            FileHandle.standardError.write(Data("large-files: \(error)\n".utf8))
            exit(1)
        }
    }

    static func printFiles(ofAtLeast least: Int64) async throws {
        let file = FileKind.file
        let query = try MetadataQuery(
            #Predicate { $0.kind == file && ($0.size ?? 0) >= least }, attributes: [.path, .size],
            sortedBy: [SortKey(.size, ascending: false)])
        try await query.start()
        for try await notification in query.notifications {
            guard case .gathered = notification else { continue }
            for item in query.results.prefix(10) { print("\(item.size ?? 0)\t\(item.path ?? "")") }
            query.stop()
        }
    }
}
