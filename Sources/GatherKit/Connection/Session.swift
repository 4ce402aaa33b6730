// One asynchronous connection to the daemon, in typed messages.
// SPDX-License-Identifier: Apache-2.0

internal import GatherProtocol
internal import NIOPosix
internal import Varlink

/// A connection to the daemon. It ends when it is let go.
struct Session: Sendable {
    private let client: VarlinkClient
    private let socket: DaemonSocket

    /// Connects, on one of the threads that all of NIO's users in the process share.
    static func connect(_ socket: DaemonSocket) async throws(GatherError) -> Session {
        do throws(VarlinkClientError) {
            let group = MultiThreadedEventLoopGroup.singleton
            if let daemon = socket.inProcess {
                let client = try await VarlinkClient.attach(descriptor: try daemon.descriptor(), on: group)
                return Session(client: client, socket: socket)
            }
            return Session(client: try await VarlinkClient.connect(path: socket.path, on: group), socket: socket)
        } catch {
            throw GatherError(error, socket: socket)
        }
    }

    private init(client: VarlinkClient, socket: DaemonSocket) {
        self.client = client
        self.socket = socket
    }

    func call<Method: VarlinkMethod>(
        _ method: Method.Type, _ request: Method.Request
    ) async throws(GatherError) -> Method.Reply {
        let reply: JSONBytes
        do throws(VarlinkClientError) {
            reply = try await client.call(Method.name, JSONBytes(request))
        } catch {
            throw GatherError(error, socket: socket)
        }
        do throws(JSONError) { return try reply.decode() } catch { throw GatherError(error) }
    }

    func callMore<Method: VarlinkMethod>(_ method: Method.Type, _ request: Method.Request) -> Replies<Method> {
        Replies(replies: client.callMore(Method.name, JSONBytes(request)), client: client, socket: socket)
    }

    /// The replies to a call with `more`, read as they are asked for.
    struct Replies<Method: VarlinkMethod>: AsyncSequence {
        typealias Element = Method.Reply
        typealias Failure = GatherError

        fileprivate let replies: VarlinkReplies
        /// Held so that the connection lasts as long as its replies are read.
        fileprivate let client: VarlinkClient
        fileprivate let socket: DaemonSocket

        func makeAsyncIterator() -> Iterator {
            Iterator(replies: replies.makeAsyncIterator(), client: client, socket: socket)
        }

        struct Iterator: AsyncIteratorProtocol {
            fileprivate var replies: VarlinkReplies.Iterator
            fileprivate let client: VarlinkClient
            fileprivate let socket: DaemonSocket

            mutating func next() async throws(GatherError) -> Method.Reply? {
                try await next(isolation: nil)
            }

            mutating func next(isolation actor: isolated (any Actor)?) async throws(GatherError) -> Method.Reply? {
                let reply: JSONBytes?
                do throws(VarlinkClientError) {
                    reply = try await replies.next(isolation: actor)
                } catch {
                    throw GatherError(error, socket: socket)
                }
                guard let reply else { return nil }
                do throws(JSONError) { return try reply.decode() } catch { throw GatherError(error) }
            }
        }
    }
}

extension Session {
    func watch(_ query: QueryConfiguration, since clock: String?) -> Replies<QueryInterface.Watch> {
        callMore(
            QueryInterface.Watch.self,
            QueryInterface.Watch.Request(
                predicate: query.predicate, scopes: query.scopes.isEmpty ? nil : query.scopes.map(\.wireText),
                attributes: query.requestedAttributes.map(\.name), since: clock,
                batch: query.batchMilliseconds == 0 ? nil : query.batchMilliseconds))
    }
}
