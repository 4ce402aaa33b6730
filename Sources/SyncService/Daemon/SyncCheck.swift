// Whether Syncthing answers.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOPosix
import Syncthing

/// Asks Syncthing once, for `gather-syncd --check`.
package enum SyncCheck {
    /// Returns a line that says which Syncthing answers. Throws `SyncStartError` if none does.
    package static func run(_ options: SyncOptions) async throws -> String {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let result: Result<String, SyncthingError>
        do throws(SyncthingError) {
            let client = SyncthingClient(try options.configuration(), on: group)
            let (status, version) = (try await client.systemStatus(), try await client.version())
            result = .success("Syncthing \(version.version) answers at \(client.address), as device \(status.device)")
        } catch {
            result = .failure(error)
        }
        try? await group.shutdownGracefully()
        switch result {
        case .success(let line): return line
        case .failure(let error): throw SyncStartError(description: "\(error)")
        }
    }
}
