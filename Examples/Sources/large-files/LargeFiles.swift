// Prints the largest files that gatherd knows, asked for with a predicate of Foundation: large-files [BYTES]
// SPDX-License-Identifier: Apache-2.0

import Foundation
import GatherFoundation
import GatherKit

@main struct LargeFiles {
    static func main() async throws {
        let least = Int64(CommandLine.arguments.dropFirst().first ?? "") ?? 1_000_000
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
