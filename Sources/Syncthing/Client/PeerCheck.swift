// The check of the user at the other end of a connection.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import NIOCore
internal import NIOPosix
internal import Varlink

/// Checks that a process of an accepted user is at the other end of a connection. While Syncthing is away, any user can listen at
/// its port.
struct PeerCheck: Sendable {
    /// The users that may get the key.
    let users: Set<UInt32>
    let address: SyncthingAddress
    /// The tables of sockets. A dual-stack listener is in the second one.
    let tables: [String]
    /// The time in which the other end has to accept the connection.
    let acceptTime: TimeAmount

    /// Fails unless the other end of this very connection belongs to an accepted user. On the event loop of the channel.
    func run(_ channel: any Channel) -> EventLoopFuture<Void> {
        switch address {
        case .unix: unix(channel)
        case .loopback: loopback(channel, until: .now() + acceptTime, pause: SyncthingLimits.firstAcceptPause)
        }
    }

    private func accept(_ user: UInt32) throws {
        // A user that this namespace does not map has the number of others.
        guard users.contains(UnmappedIDs.ofThisProcess.user(user)) else {
            throw SyncthingError.stranger(address: "\(address)", user: user)
        }
    }

    /// The kernel keeps the user that called listen(2) (unix(7)).
    private func unix(_ channel: any Channel) -> EventLoopFuture<Void> {
        guard let options = channel as? any SocketOptionProvider else {
            return channel.eventLoop.makeFailedFuture(unknown("the connection has no socket"))
        }
        let credentials: EventLoopFuture<(Int32, UInt32, UInt32)> = options.unsafeGetSocketOption(
            level: .socket, name: NIOBSDSocket.Option(rawValue: SO_PEERCRED))
        return credentials.flatMapThrowing { try accept($0.1) }
    }

    /// Looks into the tables until the connection is accepted. Off the event loop, since the kernel takes milliseconds for a table of
    /// many sockets.
    private func loopback(_ channel: any Channel, until end: NIODeadline, pause: TimeAmount) -> EventLoopFuture<Void> {
        let loop = channel.eventLoop
        guard let peer = SocketEndpoint(channel.remoteAddress), let own = SocketEndpoint(channel.localAddress) else {
            return loop.makeFailedFuture(SyncthingError.unreachable(address: "\(address)", errno: ENOTCONN))
        }
        let tables = tables
        let found = NIOSingletons.posixBlockingThreadPool.runIfActive(eventLoop: loop) {
            try PeerCheck.find(peer, connectedTo: own, in: tables)
        }
        return found.flatMap { found in
            switch found {
            case .user(let user): return loop.submit { try accept(user) }
            case .waiting, .absent:
                guard channel.isActive, .now() + pause < end else {
                    guard found == .absent, channel.isActive else {
                        let code = channel.isActive ? ETIMEDOUT : ECONNRESET
                        return loop.makeFailedFuture(SyncthingError.unreachable(address: "\(address)", errno: code))
                    }
                    return loop.makeFailedFuture(unknown("no table has its socket"))
                }
                return loop.scheduleTask(in: pause) {}.futureResult.flatMap {
                    loopback(
                        channel, until: end,
                        pause: .nanoseconds(min(pause.nanoseconds * 2, SyncthingLimits.acceptPause.nanoseconds)))
                }
            }
        }.flatMapErrorThrowing { error in
            guard case SyncthingError.configuration(let file, let message) = error else { throw error }
            throw unknown("\(file): \(message)")
        }
    }

    /// Looks for a socket in tables. One that cannot be read has none, unless none can.
    static func find(
        _ peer: SocketEndpoint, connectedTo own: SocketEndpoint, in tables: [String]
    ) throws(SyncthingError) -> SocketTable.Peer {
        var failure: SyncthingError?
        var isWaiting = false
        var count = 0
        for file in tables {
            do throws(SyncthingError) {
                let found = try SocketTable(file: file).peer(at: peer, connectedTo: own)
                if case .user = found { return found }
                isWaiting = isWaiting || found == .waiting
                count += 1
            } catch {
                failure = failure ?? error
            }
        }
        if count == 0, let failure { throw failure }
        return isWaiting ? .waiting : .absent
    }

    private func unknown(_ message: String) -> SyncthingError {
        .unknownPeer(address: "\(address)", message: message)
    }
}
