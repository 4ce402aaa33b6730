// Cutting a stream into messages, wherever the pieces of the stream end.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Testing

@testable import Varlink

private func messages(_ framer: inout MessageFramer) throws(MessageFramer.TooLong) -> [String] {
    var messages: [String] = []
    while let message = try framer.next() { messages.append(String(buffer: message)) }
    return messages
}

@Suite struct MessageFramerTests {
    // White space before a message is none of its bytes.
    static let stream =
        Array("{\"a\":1}\0\0 \r\n{} \0\n\t\0".utf8) + Array(repeating: UInt8(ascii: "x"), count: 30) + [0]
    static let expected = ["{\"a\":1}", "", "{} ", "", String(repeating: "x", count: 30)]

    @Test func inOnePiece() throws {
        var framer = MessageFramer(maximumMessageBytes: 100)
        framer.receive(ByteBuffer(bytes: Self.stream))
        #expect(try messages(&framer) == Self.expected)
        #expect(framer.pendingBytes == 0)
    }

    @Test func splitAtEveryTwoBytes() throws {
        for first in 0...Self.stream.count {
            for second in first...Self.stream.count {
                var framer = MessageFramer(maximumMessageBytes: 100)
                var got: [String] = []
                for piece in [Self.stream[..<first], Self.stream[first..<second], Self.stream[second...]] {
                    framer.receive(ByteBuffer(bytes: piece))
                    got += try messages(&framer)
                }
                #expect(got == Self.expected, "split at \(first) and \(second)")
            }
        }
    }

    @Test func byteByByteIntoItsOwnMemory() throws {
        var framer = MessageFramer(maximumMessageBytes: 100)
        var got: [String] = []
        for byte in Self.stream {
            framer.receive(atLeast: 1) { memory in
                memory[0] = byte
                return 1
            }
            got += try messages(&framer)
        }
        #expect(got == Self.expected)
        framer.receive(atLeast: 1) { _ in -1 }
        #expect(framer.pendingBytes == 0)
    }

    @Test func limitsLength() throws {
        var framer = MessageFramer(maximumMessageBytes: 4)
        framer.receive(ByteBuffer(string: "1234\0"))
        #expect(try messages(&framer) == ["1234"])
        framer.receive(ByteBuffer(string: "\n\n1234\0"))
        #expect(try messages(&framer) == ["1234"])
        framer.receive(ByteBuffer(string: "1234"))
        #expect(try messages(&framer) == [])
        framer.receive(ByteBuffer(string: "5"))
        #expect(throws: MessageFramer.TooLong(limit: 4)) { try framer.next() }

        var other = MessageFramer(maximumMessageBytes: 4)
        other.receive(ByteBuffer(string: "a\012345\0"))
        #expect(try other.next() == ByteBuffer(string: "a"))
        #expect(throws: MessageFramer.TooLong(limit: 4)) { try other.next() }
    }

    @Test func aMessageKeepsItsBytesWhileMoreComes() throws {
        var framer = MessageFramer(maximumMessageBytes: 100)
        framer.receive(ByteBuffer(string: "one\0tw"))
        let one = try framer.next()
        framer.receive(ByteBuffer(string: "o\0"))
        let two = try framer.next()
        #expect(one == ByteBuffer(string: "one"))
        #expect(two == ByteBuffer(string: "two"))
    }

    @Test func aByteThatWaitsKeepsNoWholeRead() throws {
        var framer = MessageFramer(maximumMessageBytes: 100)
        var read = ByteBufferAllocator().buffer(capacity: 65_536)
        read.writeString("{\"a\":1}\0{")
        framer.receive(read)
        #expect(try messages(&framer) == ["{\"a\":1}"])
        #expect(framer.pendingBytes == 1)
        #expect(framer.pendingCapacity <= 64)
        #expect(framer.messageCount == 1)
    }
}
