// The connection to gatherd.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Varlink

/// The socket of gatherd.
struct GatherdSocket: Sendable {
    let path: String
    let group: any EventLoopGroup

    func connect() async throws(VarlinkClientError) -> VarlinkClient {
        try await VarlinkClient.connect(path: path, on: group)
    }
}
