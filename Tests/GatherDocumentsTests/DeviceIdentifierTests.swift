// The identifier of a device: made once, kept, and made anew where it must be.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import Metadata
import SaveFiles
import TestSupport
import Testing

@testable import GatherDocuments

@Suite struct DeviceIdentifierTests {
    private static let machine = "0123456789abcdef0123456789abcdef"

    private func text(_ directory: String?, _ machine: String? = machine) throws -> String {
        try DeviceFile(directory: directory, machine: machine).identifier().text
    }

    @Test func `A device keeps its identifier`() throws {
        let scratch = try ScratchDirectory()
        let first = try DeviceFile(directory: scratch.path + "/a/b", machine: Self.machine).identifier()
        #expect(ConflictName.isDevice(first.text))
        #expect(!first.name.isEmpty && first.name.utf8.count <= DeviceIdentifier.longestName)
        #expect(try text(scratch.path + "/a/b") == first.text)
        #expect(try text(scratch.path + "/c") != first.text)
    }

    @Test func `A cloned machine gets another identifier, and both keep theirs in a shared home`() throws {
        let scratch = try ScratchDirectory()
        let other = String(Self.machine.reversed())
        let first = try text(scratch.path)
        let second = try text(scratch.path, other)
        let third = try text(scratch.path, nil)
        #expect(Set([first, second, third]).count == 3)
        #expect(try text(scratch.path) == first)
        #expect(try text(scratch.path, other) == second)
        #expect(try text(scratch.path, nil) == third)
    }

    @Test func `The file does not grow without end`() throws {
        let scratch = try ScratchDirectory()
        let machines = (0...DeviceFile.mostMachines).map { StableHash.text(UInt64($0)) + StableHash.text(0) }
        let texts = try machines.map { try text(scratch.path, $0) }
        #expect(try text(scratch.path, machines[1]) == texts[1])
        #expect(try text(scratch.path, machines[0]) != texts[0])
    }

    @Test func `A damaged file is made anew`() throws {
        let scratch = try ScratchDirectory()
        let first = try text(scratch.path)
        let whole = try scratch.read("device")
        for length in 0..<whole.count - 1 {
            try scratch.write(Array(whole.prefix(length)), to: "device")
            let next = try text(scratch.path)
            #expect(next != first)
            #expect(try text(scratch.path) == next)
        }
        for bytes in [[], [0xFF, 0], [UInt8](repeating: 10, count: DeviceFile.largestSize + 1)] as [[UInt8]] {
            try scratch.write(bytes, to: "device")
            let next = try text(scratch.path)
            #expect(next != first && ConflictName.isDevice(next))
        }
    }

    @Test func `Processes that make it at once get the same`() throws {
        for _ in 0..<20 {
            let scratch = try ScratchDirectory()
            let found = try (0..<8).concurrently { _ in try text(scratch.path) }
            #expect(Set(found).count == 1)
        }
    }

    @Test func `A state directory that cannot be made has a fixed identifier`() throws {
        let scratch = try ScratchDirectory()
        try scratch.write([], to: "file")
        let first = try text(scratch.path + "/file/gather")
        #expect(try text(scratch.path + "/file/other") == first)
        #expect(try text(nil) == first)
        #expect(try text(nil, String(Self.machine.reversed())) != first)
        #expect(throws: DocumentError.self) { try text(scratch.path + "/file/gather", nil) }
        #expect(throws: DocumentError.self) { try text(nil, nil) }
    }

    @Test func `The attribute's value has identifier and name`() throws {
        let device = try #require(DeviceIdentifier(text: "ABCDEFG", name: "kitchen at home"))
        #expect(device.attributeValue == Array("ABCDEFG kitchen at home".utf8))
        let read = try #require(DeviceIdentifier(attributeValue: device.attributeValue))
        #expect(read == device && read.name == device.name)
        let longest = "ABCDEFG " + String(repeating: "k", count: DeviceIdentifier.longestName)
        #expect(DeviceIdentifier(attributeValue: Array(longest.utf8)) != nil)
        for value in [
            "", "ABCDEFG", "ABCDEFG ", "ABCDEF kitchen", "ABCDEF1 kitchen", "abcdefg kitchen", "ABCDEFG a\nb",
            longest + "k",
        ] {
            #expect(DeviceIdentifier(attributeValue: Array(value.utf8)) == nil, "\(value)")
        }
        #expect(DeviceIdentifier(attributeValue: Array("ABCDEFG ".utf8) + [0xFF]) == nil)
    }
}
