// Devices as they are typed.
// SPDX-License-Identifier: Apache-2.0

import GatherKit
import Testing

@testable import gather

struct DeviceArgumentTests {
    private static let attic = "ATTICAA-BBBBBBB-CCCCCCC-DDDDDDD-EEEEEEE-FFFFFFF-GGGGGGG-2222222"
    private static let other = "ATTICBB-BBBBBBB-CCCCCCC-DDDDDDD-EEEEEEE-FFFFFFF-GGGGGGG-7777777"
    private static let devices = [
        SharingDevice(identifier: attic, name: "Attic"), SharingDevice(identifier: other, name: "cellar"),
        SharingDevice(identifier: "XYZ", name: "twin"), SharingDevice(identifier: "XAB", name: "twin"),
    ]

    @Test func wholeIdentifierMayBeWrittenInManyWays() throws {
        let plain = Self.attic.filter { $0 != "-" }
        for text in [Self.attic, plain, plain.lowercased(), Self.attic.replacing("-", with: " ")] {
            #expect(DeviceArgument.identifier(text) == Self.attic)
            // It may be that of a device that is not known yet.
            #expect(try DeviceArgument.resolve(text, among: []) == Self.attic)
        }
        for text in ["", "attic", String(plain.dropLast()), plain + "A", String(plain.dropLast()) + "é"] {
            #expect(DeviceArgument.identifier(text) == nil)
        }
    }

    @Test func knownDeviceHasItsNameOrTheBeginningOfItsIdentifier() throws {
        for text in ["Attic", "attic", "ATTICA", "atticaa"] {
            #expect(try DeviceArgument.resolve(text, among: Self.devices) == Self.attic)
        }
        #expect(
            try DeviceArgument.named(["cellar", "ATTICAA", "attic=x=y"], among: Self.devices).map(\.identifier)
                == [Self.other, Self.attic])
        let named = try DeviceArgument.named(["cellar", "ATTICAA", "attic=x=y"], among: Self.devices)
        #expect(named.map(\.name) == [nil, "x=y"])
        // A name with a sign is a name.
        let odd = SharingDevice(identifier: Self.attic, name: "a=b")
        #expect(try DeviceArgument.named(["a=b"], among: [odd])[0].name == nil)
        #expect(try DeviceArgument.named(["A=B"], among: [odd])[0].identifier == Self.attic)
    }

    @Test func unknownOrAmbiguousDeviceIsRefused() {
        for (text, part) in [
            ("attik", "there is no device 'attik'"), ("", "there is no device ''"), ("X", "XYZ, XAB"),
            ("twin", "XYZ, XAB"), ("\u{1B}[2J", "'\\e[2J'"),
        ] {
            let failure = #expect(throws: Failure.self) { try DeviceArgument.resolve(text, among: Self.devices) }
            #expect(failure?.status == ExitStatus.usage)
            #expect(failure?.message.contains(part) == true, "\(failure?.message ?? "")")
        }
    }

    /// The name of a device comes from another machine.
    @Test func tabKeyOffersHarmlessWordsOnly() {
        let devices = [
            SharingDevice(identifier: "HERE", name: "kitchen", isHere: true),
            SharingDevice(identifier: "ABCDEFG-X", name: "attic"),
            SharingDevice(identifier: "BBBBBBB-X", name: "$(reboot)"),
            SharingDevice(identifier: "CCCCCCC-X", name: ""), SharingDevice(identifier: "`id`", name: "a b"),
        ]
        #expect(Completions.deviceWords(devices) == ["BBBBBBB", "CCCCCCC", "attic"])
    }

    @Test func helperIsThatOfTheLine() {
        #expect(Completions.helper(["gather", "share", "--sync-socket", "/tmp/s", "x"]).path == "/tmp/s")
        #expect(Completions.helper(["gather", "share", "--sync-socket=/tmp/t"]).path == "/tmp/t")
        #expect(Completions.helper(["gather", "devices", "--system"]).path == "/run/gather-syncd/io.gatherd.Sharing")
    }
}
