// The Swift program of the README, as a function. ReadmeTests holds the two texts together.
// SPDX-License-Identifier: Apache-2.0

import GatherKit

/// Runs the program of the README after its first statement. The parameter `print` takes the place of the function.
func readmeExample(_ query: MetadataQuery, print: (String, String) -> Void) async throws {
    try await query.start()
    for try await notification in query.notifications {
        switch notification {
        case .gathered:
            for item in query.results { print(" ", item.path ?? "?") }
        case .updated(let changes):
            for item in changes.added { print("+", item.path ?? "?") }
            for item in changes.changed { print("~", item.path ?? "?") }
            for item in changes.removed { print("-", item.path) }
        default: break
        }
    }
}
