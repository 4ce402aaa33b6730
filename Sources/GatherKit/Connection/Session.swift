// An asynchronous connection to the daemon with typed messages.
// SPDX-License-Identifier: Apache-2.0

internal import GatherProtocol
internal import NIOPosix
internal import Varlink

/// A connection to the daemon, or to the sharing helper. It is closed when the object is released.
struct Session: Sendable {
    /// The time between two signs of life of a live query on another machine. It is shorter than the silence that counts as its
    /// end, for programs in place of `gather bridge`.
    private static let heartbeatMilliseconds: Int64 = 10_000

    /// The program at the other end.
    private enum Peer: Sendable {
        /// The daemon, and the process that reaches another machine.
        case daemon(DaemonSocket, RemoteProcess?)
        case helper(SharingSocket)
    }

    private let client: VarlinkClient
    private let peer: Peer

    /// Connects, on a thread that all users of NIO in the process share.
    static func connect(_ socket: DaemonSocket) async throws(GatherError) -> Session {
        let connection = try socket.connect()
        do throws(VarlinkClientError) {
            let client = try await VarlinkClient.attach(
                descriptor: connection.descriptor, output: connection.output, on: MultiThreadedEventLoopGroup.singleton,
                life: socket.life)
            return Session(client: client, peer: .daemon(socket, connection.process))
        } catch {
            throw socket.error(error, connection.process)
        }
    }

    /// Connects to the sharing helper, on the same thread.
    static func connect(_ socket: SharingSocket) async throws(GatherError) -> Session {
        let descriptor = try socket.connect()
        do throws(VarlinkClientError) {
            let client = try await VarlinkClient.attach(
                descriptor: descriptor, on: MultiThreadedEventLoopGroup.singleton,
                life: AnswerTime.usual.life(of: socket.path))
            return Session(client: client, peer: .helper(socket))
        } catch {
            throw socket.error(error)
        }
    }

    private init(client: VarlinkClient, peer: Peer) {
        self.client = client
        self.peer = peer
    }

    private func error(_ error: VarlinkClientError) -> GatherError {
        switch peer {
        case .daemon(let socket, let process): socket.error(error, process)
        case .helper(let socket): socket.error(error)
        }
    }

    private func error(_ error: JSONError) -> GatherError {
        switch peer {
        case .daemon(let socket, _): socket.error(error)
        case .helper: GatherError(sharing: error)
        }
    }

    private var isRemote: Bool {
        if case .daemon(let socket, _) = peer { socket.host != nil } else { false }
    }

    func call<Method: VarlinkMethod>(
        _ method: Method.Type, _ request: Method.Request
    ) async throws(GatherError) -> Method.Reply {
        let reply: JSONBytes
        do throws(VarlinkClientError) {
            reply = try await client.call(Method.name, JSONBytes(request))
        } catch {
            throw self.error(error)
        }
        do throws(JSONError) { return try reply.decode() } catch { throw self.error(error) }
    }

    func callMore<Method: VarlinkMethod>(_ method: Method.Type, _ request: Method.Request) -> Replies<Method> {
        Replies(replies: client.callMore(Method.name, JSONBytes(request)), session: self)
    }

    /// The replies to a call with `more`, read on demand.
    struct Replies<Method: VarlinkMethod>: AsyncSequence {
        typealias Element = Method.Reply
        typealias Failure = GatherError

        fileprivate let replies: VarlinkReplies
        /// Keeps the connection open while its replies are read.
        fileprivate let session: Session

        func makeAsyncIterator() -> Iterator {
            Iterator(replies: replies.makeAsyncIterator(), session: session)
        }

        struct Iterator: AsyncIteratorProtocol {
            fileprivate var replies: VarlinkReplies.Iterator
            fileprivate let session: Session

            mutating func next() async throws(GatherError) -> Method.Reply? {
                try await next(isolation: nil)
            }

            mutating func next(isolation actor: isolated (any Actor)?) async throws(GatherError) -> Method.Reply? {
                let reply: JSONBytes?
                do throws(VarlinkClientError) {
                    reply = try await replies.next(isolation: actor)
                } catch {
                    throw session.error(error)
                }
                guard let reply else { return nil }
                do throws(JSONError) { return try reply.decode() } catch { throw session.error(error) }
            }
        }
    }
}

extension Session {
    func watch(
        _ query: QueryConfiguration, since clock: DaemonClock?, timeZone: String?
    ) -> Replies<QueryInterface.Watch> {
        callMore(
            QueryInterface.Watch.self,
            QueryInterface.Watch.Request(
                predicate: query.predicate, scopes: query.scopes.isEmpty ? nil : query.scopes.map(\.wireText),
                attributes: query.requestedAttributes.map(\.name), since: clock?.rawValue,
                batch: query.batchMilliseconds == 0 ? nil : query.batchMilliseconds,
                // The other machine finds out by this that the connection has broken.
                heartbeat: isRemote ? Session.heartbeatMilliseconds : nil, timeZone: timeZone))
    }
}
