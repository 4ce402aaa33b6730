// Devices that changed items last.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import SyncService

@Suite struct SavingDevicesTests {
    private var devices = SavingDevices()

    @Test mutating func theLastDeviceIsKept() {
        devices.note("AAAAAAA", of: "a")
        devices.note("BBBBBBB", of: "b")
        devices.note("CCCCCCC", of: "a")
        #expect(devices.device(of: "a") == "CCCCCCC" && devices.device(of: "b") == "BBBBBBB")
        #expect(devices.device(of: "c") == nil && devices.parts == ["a", "b"])
    }

    @Test mutating func itemsAreBounded() {
        for number in 0..<SyncLimits.savers { devices.note("AAAAAAA", of: "\(number)") }
        #expect(devices.parts.count == SyncLimits.savers)
        devices.note("BBBBBBB", of: "one more")
        #expect(devices.parts == ["one more"])
    }
}
