// A server and callers without sockets, on a loop that the test drives.
// SPDX-License-Identifier: Apache-2.0

import NIOEmbedded

@testable import Varlink

extension VarlinkServer {
    /// Serves the interface of the tests.
    convenience init(on loop: EmbeddedEventLoop, _ handler: TestHandler, limits: VarlinkLimits = VarlinkLimits()) throws
    {
        let service = VarlinkService(
            vendor: "", product: "", version: "", url: "", interfaces: [try VarlinkInterface(parsing: testInterface)])
        self.init(eventLoop: loop, service: service, handler: handler, limits: limits)
    }

    /// Somebody connects.
    func connect(on loop: EmbeddedEventLoop, user: UInt32 = 1) throws -> EmbeddedChannel {
        let channel = EmbeddedChannel(loop: loop)
        try admit(channel, from: PeerCredentials(processID: 1, userID: user, groupID: 1, groups: []))
        return channel
    }
}
