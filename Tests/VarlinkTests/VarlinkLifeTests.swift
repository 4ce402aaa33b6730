// Services that are silent: those that live have their time, and the others end the wait.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import NIOCore
import NIOPosix
import TestSupport
import Testing

@testable import Varlink

@Suite struct VarlinkLifeTests {
    private static let reply = "{\"parameters\":{}}\0"

    /// A socket that listens in a directory of its own, without a service behind it.
    private final class Listener: Sendable {
        let directory: String
        let path: String
        let descriptor: CInt

        init() throws {
            var template = Array("/tmp/varlink-life-XXXXXX".utf8CString)
            guard mkdtemp(&template) != nil else { throw VarlinkSocketError(operation: .path, errno: errno) }
            directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
            path = directory + "/io.test"
            descriptor = try RawSocket.listen(at: path)
            Patience.limit(descriptor)
        }

        deinit {
            close(descriptor)
            unlink(path)
            rmdir(directory)
        }

        func accept() -> RawSocket { RawSocket(Glibc.accept(descriptor, nil, nil)) }
    }

    /// Calls `Wait` by one of the clients.
    private func call(_ listener: Listener, _ life: VarlinkLife, blocks: Bool) async throws -> JSONBytes {
        let descriptor = try BlockingVarlinkClient.connect(path: listener.path)
        guard blocks else {
            let client = try await VarlinkClient.attach(
                descriptor: descriptor, on: MultiThreadedEventLoopGroup.singleton.any(), life: life)
            return try await client.call("org.example.test.Wait")
        }
        var client = BlockingVarlinkClient(descriptor: descriptor, life: life)
        return try client.call("org.example.test.Wait")
    }

    /// The answer comes only after the service was asked three times whether it lives.
    @Test(arguments: [true, false]) func aServiceThatLivesHasItsTime(blocks: Bool) async throws {
        let listener = try Listener()
        let service = Thread {
            let asked = listener.accept()
            _ = asked.receive(messages: 1)
            for _ in 0..<3 {
                let question = listener.accept()
                let text = question.receive(messages: 1)
                // An error is a sign of life, too.
                question.send(text.contains("GetInfo") ? "{\"error\":\"org.example.test.Odd\"}\0" : "")
            }
            asked.send(Self.reply)
            // Other questions may be under way.
            shutdown(listener.descriptor, CInt(SHUT_RDWR))
        }
        let life = VarlinkLife(path: listener.path, silence: .milliseconds(1), answer: Patience.duration)
        #expect(try await call(listener, life, blocks: blocks).text == "{}")
        service.join()
    }

    @Test(arguments: [true, false]) func aServiceThatAnswersNothingEndsTheCall(blocks: Bool) async throws {
        let listener = try Listener()
        let life = VarlinkLife(path: listener.path, silence: .milliseconds(1), answer: .milliseconds(1))
        await #expect(throws: VarlinkClientError.silent) { try await call(listener, life, blocks: blocks) }
    }

    /// A wait of a limited time ends by the silence, if that comes first.
    @Test func aLimitedWaitEndsBySilenceToo() throws {
        let listener = try Listener()
        let life = VarlinkLife(path: listener.path, silence: .milliseconds(1), answer: .milliseconds(1))
        var client = BlockingVarlinkClient(
            descriptor: try BlockingVarlinkClient.connect(path: listener.path), life: life)
        try client.begin("org.example.test.Wait", .emptyObject, more: false)
        #expect(throws: VarlinkClientError.silent) { try client.nextReply(within: Patience.duration) }
        var other = BlockingVarlinkClient(
            descriptor: try BlockingVarlinkClient.connect(path: listener.path),
            life: VarlinkLife(path: listener.path, silence: Patience.duration, answer: Patience.duration))
        try other.begin("org.example.test.Wait", .emptyObject, more: false)
        #expect(try other.nextReply(within: .milliseconds(1)) == nil)
    }

    /// A request that the service does not take, since it is longer than the buffers of the kernel.
    @Test func aRequestThatIsNotTakenEndsTheCall() throws {
        let listener = try Listener()
        let life = VarlinkLife(path: listener.path, silence: .milliseconds(1), answer: .milliseconds(1))
        var client = BlockingVarlinkClient(
            descriptor: try BlockingVarlinkClient.connect(path: listener.path, within: .milliseconds(1)), life: life)
        let parameters = JSONBytes("{\"padding\":\"\(String(repeating: "x", count: 4 << 20))\"}")
        #expect(throws: VarlinkClientError.silent) { try client.call("org.example.test.Wait", parameters) }
    }

    @Test func aFullQueueOfConnectionsEndsTheWait() throws {
        let listener = try Listener()
        var waiting: [RawSocket] = []
        while let one = RawSocket.connectAtOnce(to: listener.path) { waiting.append(one) }
        let full = VarlinkSocketError(operation: .connect, errno: EAGAIN, path: listener.path)
        #expect(throws: VarlinkClientError.socket(full)) {
            try BlockingVarlinkClient.connect(path: listener.path, within: .milliseconds(1))
        }
    }

    @Test(arguments: [true, false]) func aServiceThatEndsIsNotSilent(blocks: Bool) async throws {
        let listener = try Listener()
        let service = Thread {
            let asked = listener.accept()
            _ = asked.receive(messages: 1)
        }
        let life = VarlinkLife(path: listener.path, silence: Patience.duration, answer: Patience.duration)
        await #expect(throws: VarlinkClientError.closed) { try await call(listener, life, blocks: blocks) }
        service.join()
    }
}
