// A small service over a real Unix socket, for tests of both ends.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import NIOCore
import NIOPosix
import Varlink

let testInterface = """
    interface org.example.test
    # Answers with what it was given.
    method Echo(value: object) -> (value: object)
    # With `more`: numbers from 0, as fast as they are taken.
    method Count(to: int) -> (number: int)
    # With `more`: replies of so many bytes without end, as fast as they are taken.
    method Flood(bytes: int) -> (filler: string)
    # Answers when Release is called.
    method Wait(padding: ?string) -> (waited: bool)
    method Release() -> ()
    # Keeps a note.
    method Note(text: string) -> ()
    # What is known of the caller.
    method WhoAmI() -> (pid: int, uid: int, gid: int, groups: []int)
    error Odd (number: int)
    # Fails for an odd number, with Odd.
    method Even(number: int) -> ()

    """

/// Loop only.
final class TestHandler: VarlinkHandler {
    var notes: [String] = []
    var waiting: [VarlinkCall] = []
    /// Calls whose connection closed before their answer.
    var closed = 0
    /// How often a call said that it ended.
    var ended = 0
    var flooded = 0
    /// Called with each note.
    var onNote: ((String) -> Void)?
    /// Called at each of the above.
    var onEvent: (() -> Void)?

    func handle(_ call: VarlinkCall) {
        call.onEnd = { [self] in
            ended += 1
            onEvent?()
        }
        switch call.method {
        case "org.example.test.Echo": call.reply(call.parameters)
        case "org.example.test.Count": count(call, from: 0, to: integer(call, "to"))
        case "org.example.test.Flood": flood(call, bytes: Int(integer(call, "bytes")))
        case "org.example.test.Wait":
            waiting.append(call)
            call.onClose = { [self] in
                closed += 1
                onEvent?()
            }
        case "org.example.test.Release":
            call.reply()
            let waiting = waiting
            self.waiting = []
            for call in waiting { call.reply(JSONBytes("{\"waited\":true}")) }
        case "org.example.test.Note":
            let text = string(call, "text")
            notes.append(text)
            onNote?(text)
            call.reply()
        case "org.example.test.WhoAmI":
            let peer = call.peer
            call.reply(
                JSONBytes { writer in
                    writer.beginObject()
                    writer.field("pid", Int64(peer.processID))
                    writer.field("uid", Int64(peer.userID))
                    writer.field("gid", Int64(peer.groupID))
                    writer.key("groups")
                    writer.beginArray()
                    for group in peer.groups { writer.integer(Int64(group)) }
                    writer.endArray()
                    writer.endObject()
                })
        case "org.example.test.Even" where integer(call, "number") % 2 != 0:
            call.fail(VarlinkError("org.example.test.Odd", parameters: call.parameters))
        default: call.reply()
        }
        onEvent?()
    }

    private func count(_ call: VarlinkCall, from start: Int64, to end: Int64) {
        var number = start
        while call.isWritable, !call.hasEnded {
            call.reply(JSONBytes("{\"number\":\(number)}"), continues: number < end)
            number += 1
        }
        if !call.hasEnded { call.onWritable = { [self, unowned call] in count(call, from: number, to: end) } }
    }

    private func flood(_ call: VarlinkCall, bytes: Int) {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("filler", String(repeating: "x", count: bytes))
        writer.endObject()
        while call.isWritable {
            call.reply(writer, continues: true)
            flooded += writer.count
        }
        call.onWritable = { [self, unowned call] in flood(call, bytes: bytes) }
        call.onClose = { [self] in
            closed += 1
            onEvent?()
        }
    }
}

private func integer(_ call: VarlinkCall, _ name: StaticString) -> Int64 {
    field(call, name) { (reader) throws(JSONError) in try reader.readInteger() } ?? 0
}

private func string(_ call: VarlinkCall, _ name: StaticString) -> String {
    field(call, name) { (reader) throws(JSONError) in try reader.readString() } ?? ""
}

private func field<Value>(
    _ call: VarlinkCall, _ name: StaticString, _ body: (inout JSONReader) throws(JSONError) -> Value
) -> Value? {
    try? call.parameters.read { (reader) throws(JSONError) in
        var value: Value?
        try reader.beginObject()
        while try reader.nextKey() {
            if reader.keyIs(name) { value = try body(&reader) } else { try reader.skipValue() }
        }
        return value
    }
}

/// The service running on an event loop of its own, on a socket in a directory of its own.
struct TestServer: Sendable {
    let path: String
    let loop: any EventLoop
    let server: NIOLoopBound<VarlinkServer>
    let handler: NIOLoopBound<TestHandler>

    /// Runs `body` with a server that is gone afterwards.
    static func with(
        limits: VarlinkLimits = VarlinkLimits(), isInherited: Bool = false, _ body: (TestServer) async throws -> Void
    ) async throws {
        var template = Array("/tmp/varlink-test-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw VarlinkSocketError(operation: .path, errno: errno) }
        let directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let loop = group.next()
        let path = directory + "/io.test"
        let server = try await loop.flatSubmit {
            let handler = TestHandler()
            do {
                let service = VarlinkService(
                    vendor: "Gather", product: "Test", version: "1", url: "https://example.org",
                    interfaces: [try VarlinkInterface(parsing: testInterface)],
                    methodsThatNeedMore: ["org.example.test.Flood"])
                let server = VarlinkServer(eventLoop: loop, service: service, handler: handler, limits: limits)
                let result = TestServer(
                    path: path, loop: loop, server: NIOLoopBound(server, eventLoop: loop),
                    handler: NIOLoopBound(handler, eventLoop: loop))
                if isInherited {
                    return server.listen(descriptor: try RawSocket.listen(at: path)).map { result }
                }
                return try server.listen(path: path, mode: 0o600).map { result }
            } catch {
                return loop.makeFailedFuture(error)
            }
        }.get()
        do {
            try await body(server)
        } catch {
            try await server.stop(group, directory)
            throw error
        }
        try await server.stop(group, directory)
    }

    private func stop(_ group: MultiThreadedEventLoopGroup, _ directory: String) async throws {
        try await loop.flatSubmit { server.value.close() }.get()
        try await group.shutdownGracefully()
        unlink(path)
        rmdir(directory)
    }

    /// Runs `body` on the loop.
    func onLoop<Result: Sendable>(_ body: @escaping @Sendable (VarlinkServer, TestHandler) -> Result) async throws
        -> Result
    {
        try await loop.submit { body(server.value, handler.value) }.get()
    }

    /// Returns once `condition` holds; it is asked after each event of the handler.
    func until(_ condition: @escaping @Sendable (VarlinkServer, TestHandler) -> Bool) async throws {
        let promise = loop.makePromise(of: Void.self)
        loop.execute {
            let server = server.value
            let handler = handler.value
            let check = { [unowned server, unowned handler] in
                if condition(server, handler) { promise.succeed() }
            }
            handler.onEvent = check
            check()
        }
        try await promise.futureResult.get()
    }

    func connect(bufferedBytes: Int = VarlinkClient.bufferedBytes) async throws -> VarlinkClient {
        try await VarlinkClient.connect(path: path, on: loop, bufferedBytes: bufferedBytes)
    }

    /// A plain socket that is connected to the server.
    func rawSocket() throws -> RawSocket { RawSocket(try UnixSocketForTests.connect(path)) }
}

/// A blocking socket, used byte by byte.
final class RawSocket: Sendable {
    let descriptor: CInt
    init(_ descriptor: CInt) { self.descriptor = descriptor }
    deinit { close(descriptor) }

    /// A socket that is bound to `path` and listens, as a service manager hands it over.
    static func listen(at path: String) throws -> CInt {
        let descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
        guard with(path, { bind(descriptor, $0, $1) }) == 0, Glibc.listen(descriptor, 128) == 0 else {
            throw VarlinkSocketError(operation: .bind, errno: errno, path: path)
        }
        return descriptor
    }

    /// A socket that is connected to `path`; nil where that would have to wait.
    static func connectAtOnce(to path: String) -> RawSocket? {
        let result = RawSocket(socket(AF_UNIX, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_NONBLOCK.rawValue), 0))
        guard with(path, { connect(result.descriptor, $0, $1) }) == 0 else { return nil }
        _ = fcntl(result.descriptor, F_SETFL, 0)
        return result
    }

    private static func with(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> CInt) -> CInt {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        return withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }

    /// Sends as much as the peer takes; false where the connection breaks.
    @discardableResult
    func send(_ text: String) -> Bool {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL)) }
            guard count > 0 else { return false }
            bytes = bytes.dropFirst(count)
        }
        return true
    }

    /// Sends what the kernel takes at once, and returns how many bytes that was.
    func sendWithoutWaiting(_ text: String) -> Int {
        let bytes = Array(text.utf8)
        return max(0, Glibc.send(descriptor, bytes, bytes.count, CInt(MSG_NOSIGNAL) | CInt(MSG_DONTWAIT)))
    }

    /// Receives all bytes until the peer closes.
    func receiveAll() -> String {
        var all: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while case let count = recv(descriptor, &chunk, chunk.count, 0), count > 0 { all += chunk[..<count] }
        return String(decoding: all, as: UTF8.self)
    }

    /// The next `count` messages.
    func receive(messages count: Int) -> String {
        var all: [UInt8] = []
        var byte: UInt8 = 0
        var left = count
        while left > 0, recv(descriptor, &byte, 1, 0) == 1 {
            all.append(byte)
            if byte == 0 { left -= 1 }
        }
        return String(decoding: all, as: UTF8.self)
    }

    func endOutput() { shutdown(descriptor, CInt(SHUT_WR)) }
}

/// A thread for blocking calls.
final class Thread: Sendable {
    private let thread: pthread_t

    private final class Body {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    init(_ run: @escaping @Sendable () -> Void) {
        var thread = pthread_t()
        let body = Unmanaged.passRetained(Body(run)).toOpaque()
        let result = pthread_create(
            &thread, nil,
            { argument in
                argument.map { Unmanaged<Body>.fromOpaque($0).takeRetainedValue().run() }
                return nil
            }, body)
        precondition(result == 0)
        self.thread = thread
    }

    func join() { pthread_join(thread, nil) }
}

enum UnixSocketForTests {
    static func connect(_ path: String) throws -> CInt {
        let descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let result = withUnsafePointer(to: address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard result == 0 else { throw VarlinkSocketError(operation: .connect, errno: errno, path: path) }
        return descriptor
    }

    static func pair() -> (CInt, CInt) {
        var pair: [CInt] = [0, 0]
        precondition(socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &pair) == 0)
        return (pair[0], pair[1])
    }
}

/// Something that one thread waits for and another does, once.
final class Signal: Sendable {
    private let ends: (CInt, CInt)

    init() {
        var pipe: [CInt] = [0, 0]
        precondition(Glibc.pipe(&pipe) == 0)
        ends = (pipe[0], pipe[1])
    }

    deinit {
        close(ends.0)
        close(ends.1)
    }

    func give() { _ = write(ends.1, "x", 1) }

    func wait() {
        var byte: UInt8 = 0
        _ = read(ends.0, &byte, 1)
    }
}
