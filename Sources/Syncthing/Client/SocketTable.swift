// A table of the kernel's TCP sockets.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The text of `/proc/self/net/tcp` or `tcp6` (proc_pid_net(5)): the TCP sockets of this network namespace and their users.
struct SocketTable {
    /// The knowledge of the other end of a connection.
    enum Peer: Hashable {
        /// A process of this user has accepted the connection.
        case user(UInt32)
        /// The connection waits for accept(2). Until then the kernel names root as the peer, whatever user listens.
        case waiting
        /// The table has no such socket.
        case absent
    }

    /// The states of the table that count (`include/net/tcp_states.h`). TCP_DEFER_ACCEPT leaves an end in the second one.
    private enum State {
        static let established: UInt32 = 0x01
        static let synReceived: UInt32 = 0x03
    }

    /// Places of the columns.
    private enum Column {
        static let (local, remote, state, user, inode) = (1, 2, 3, 7, 9)
        static let count = 10
    }

    private let text: [UInt8]

    init(_ text: [UInt8]) { self.text = text }

    /// Reads a table.
    init(file: String) throws(SyncthingError) {
        text = try SyncthingConfiguration.read(file, limit: SyncthingLimits.socketTableBytes).bytes
    }

    /// Finds the socket at `end` that is connected with `other`. Lines that are not understood are left out.
    func peer(at end: SocketEndpoint, connectedTo other: SocketEndpoint) -> Peer {
        var found = Peer.absent
        for line in lines(with: end, other) {
            let columns = line.split(separator: UInt8(ascii: " "), maxSplits: Column.count)
            guard columns.count >= Column.count, let state = SocketTable.number(columns[Column.state], radix: 16),
                state == State.established || state == State.synReceived,
                SocketTable.endpoint(columns[Column.local]) == end,
                SocketTable.endpoint(columns[Column.remote]) == other,
                let user = SocketTable.number(columns[Column.user], radix: 10),
                let inode = UInt64(String(decoding: columns[Column.inode], as: UTF8.self))
            else { continue }
            // A socket gets its inode, and its user with it, when it is accepted (sock_i_uid(), inet_csk_accept()).
            if state == State.established, inode != 0 { return .user(user) }
            found = .waiting
        }
        return found
    }

    /// Returns the lines that have two ends in their first columns. Each request leaves a line behind for a minute, so a table can have
    /// thousands, and the others are not looked at.
    private func lines(with end: SocketEndpoint, _ other: SocketEndpoint) -> [ArraySlice<UInt8>] {
        let wanted = zip(end.tableTexts, other.tableTexts).map { Array("\($0) \($1) ".utf8) }
        return text.split(separator: UInt8(ascii: "\n")).filter { line in
            // The number of the line comes first: `  38: `.
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return false }
            let ends = line[colon...].dropFirst(2)
            return wanted.contains { ends.starts(with: $0) }
        }
    }

    /// Reads an address and a port. The address is words of 32 bits in the byte order of the machine, the port a number.
    static func endpoint(_ text: ArraySlice<UInt8>) -> SocketEndpoint? {
        let parts = text.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].count == 8 || parts[0].count == 32, parts[1].count == 4,
            let port = number(parts[1], radix: 16)
        else { return nil }
        var bytes: [UInt8] = []
        for start in stride(from: parts[0].startIndex, to: parts[0].endIndex, by: 8) {
            guard let word = number(parts[0][start..<start + 8], radix: 16) else { return nil }
            withUnsafeBytes(of: word) { bytes += $0 }
        }
        return SocketEndpoint(address: bytes, port: UInt16(truncatingIfNeeded: port))
    }

    /// Reads a number without a sign.
    private static func number(_ digits: ArraySlice<UInt8>, radix: Int) -> UInt32? {
        guard digits.first != UInt8(ascii: "+"), digits.first != UInt8(ascii: "-") else { return nil }
        return UInt32(String(decoding: digits, as: UTF8.self), radix: radix)
    }
}
