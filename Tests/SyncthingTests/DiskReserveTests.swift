// The part of a disk that Syncthing leaves free.
// SPDX-License-Identifier: Apache-2.0

import Testing
import Varlink

@testable import Syncthing

struct DiskReserveTests {
    /// On a disk of 2,000,000,000,000 bytes.
    @Test(
        arguments: [
            (#"{"value": 1, "unit": "%"}"#, 20_000_000_000), (#"{"value": 0.5, "unit": "%"}"#, 10_000_000_000),
            (#"{"value": 0, "unit": "%"}"#, 0), (#"{}"#, 0), (#"{"value": 12, "unit": ""}"#, 12),
            (#"{"unit": "kB", "value": 3, "other": [1]}"#, 3_000), (#"{"value": 2.5, "unit": "MB"}"#, 2_500_000),
            (#"{"value": 4, "unit": "G"}"#, 4_000_000_000), (#"{"value": 1, "unit": "TB"}"#, 1_000_000_000_000),
            (#"{"value": 1e300, "unit": "%"}"#, Int64.max), (#"{"value": -1e300, "unit": "TB"}"#, 0),
        ] as [(String, Int64)])
    func bytesFollowTheUnit(text: String, bytes: Int64) throws {
        var reserve = DiskReserve()
        try JSONBytes(text).read { (reader) throws(JSONError) in reserve = try DiskReserve(from: &reader) }
        #expect(reserve.bytes(ofDisk: 2_000_000_000_000) == bytes)
    }
}
