// The server's side of a connection: however the bytes are cut, the same messages come of them, and those are what lies
// between the NULs.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Varlink

enum FramingTarget: FuzzTarget {
    /// Short, so that messages beyond it are found.
    private static let maximumMessageBytes = 96

    private enum Outcome: Hashable {
        case call(VarlinkCallMessage)
        case refusal(VarlinkServerConnection.Refusal)
    }

    /// The first byte says how the rest is cut.
    static func test(_ bytes: UnsafeRawBufferPointer) {
        guard let seed = bytes.first else { return }
        let stream = Array(bytes.dropFirst())
        let whole = outcomes(of: [stream])
        var pieces: [[UInt8]] = []
        var rest = stream[...]
        var state = UInt32(seed)
        while !rest.isEmpty {
            state = state &* 1_664_525 &+ 1_013_904_223
            let length = min(rest.count, seed < 128 ? 1 + Int(state >> 24) % 7 : 1 + Int(state >> 22))
            pieces.append(Array(rest.prefix(length)))
            rest = rest.dropFirst(length)
        }
        expect(whole == outcomes(of: pieces), "cut otherwise, other messages")
        expect(whole == expected(stream), "not what lies between the NULs")
    }

    /// The outcomes of a connection for pieces of a stream, when each call is answered at once.
    private static func outcomes(of pieces: [[UInt8]]) -> [Outcome] {
        var connection = VarlinkServerConnection(maximumMessageBytes: maximumMessageBytes)
        var found: [Outcome] = []
        for piece in pieces {
            connection.receive(ByteBuffer(bytes: piece))
            while let event = connection.next() {
                switch event {
                case .call(let call):
                    found.append(.call(call))
                    expect(connection.isAnswering == !call.oneway, "a call that waits for no answer, or does not")
                    let reply: ByteBuffer? = [UInt8]("{}".utf8).withUnsafeBytes {
                        connection.reply($0, continues: false)
                    }
                    expect((reply == nil) == call.oneway, "an answer that nobody wants, or none")
                case .refuse(_, let cause): found.append(.refusal(cause))
                }
            }
        }
        return found
    }

    /// The same without a state machine.
    private static func expected(_ stream: [UInt8]) -> [Outcome] {
        var found: [Outcome] = []
        var rest = stream[...]
        while let end = rest.firstIndex(of: 0) {
            let message = rest[..<end].drop { MessageFramer.whiteSpace.contains($0) }
            rest = rest[(end + 1)...]
            guard message.count <= maximumMessageBytes else {
                return found + [.refusal(.tooLong(limit: maximumMessageBytes))]
            }
            do throws(VarlinkCallMessage.Malformed) {
                found.append(.call(try VarlinkCallMessage(reading: ByteBuffer(bytes: message))))
            } catch {
                return found + [.refusal(.malformed(error))]
            }
        }
        rest = rest.drop { MessageFramer.whiteSpace.contains($0) }
        return rest.count > maximumMessageBytes ? found + [.refusal(.tooLong(limit: maximumMessageBytes))] : found
    }
}
