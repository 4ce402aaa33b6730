// Whether a service that has not answered still lives.
// SPDX-License-Identifier: Apache-2.0

internal import NIOCore

/// Finds out whether a service lives that has been silent for a while.
///
/// An answer may take its time, and a subscription may have nothing to tell for days. So silence alone says nothing. The
/// service is asked something easy (`GetInfo`) on a second connection, since calls of one connection are answered in order.
package struct VarlinkLife: Sendable {
    /// The silence after which the service is asked.
    let silence: Duration
    /// The time that the service has for its answer.
    let answer: Duration
    private let path: String?

    /// Makes the question for the service at the socket `path`.
    package init(path: String, silence: Duration, answer: Duration) {
        self.path = path
        self.silence = silence
        self.answer = answer
    }

    /// Makes the judgement of a service that cannot be asked, such as one behind a program: it lives until it has been silent for
    /// this time. It has to send a sign of life while a call takes longer.
    package init(silence: Duration) {
        path = nil
        self.silence = silence
        answer = .zero
    }

    private static let method = "org.varlink.service.GetInfo"

    /// Asks, and blocks for the answer or for the end of its time. An error is an answer, too.
    package func probe() -> Bool {
        guard var client = connect().map({ BlockingVarlinkClient(descriptor: $0) }) else { return false }
        do throws(VarlinkClientError) {
            try client.begin(VarlinkLife.method, .emptyObject, more: false)
            return try client.nextReply(within: answer) != nil
        } catch {
            return VarlinkLife.isAnswer(error)
        }
    }

    /// Asks without blocking, but that the connection blocks while the service's queue of new connections is full.
    func probe(on loop: any EventLoop) async -> Bool {
        guard let descriptor = connect(), let client = try? await VarlinkClient.attach(descriptor: descriptor, on: loop)
        else { return false }
        let end = loop.scheduleTask(in: TimeAmount(answer)) { client.closeSoon() }
        defer { end.cancel() }
        do throws(VarlinkClientError) {
            _ = try await client.call(VarlinkLife.method)
            return true
        } catch {
            return VarlinkLife.isAnswer(error)
        }
    }

    private func connect() -> CInt? { path.flatMap { try? UnixSocket.connect(path: $0, within: answer) } }

    private static func isAnswer(_ error: VarlinkClientError) -> Bool {
        switch error {
        case .error, .violation: true
        case .closed, .socket, .silent, .cancelled: false
        }
    }
}
