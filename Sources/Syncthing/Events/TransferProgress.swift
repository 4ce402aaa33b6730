// The progress of a file that Syncthing fetches.
// SPDX-License-Identifier: Apache-2.0

package import Varlink

/// The progress of a file that is fetched, in bytes.
package struct TransferProgress: Sendable, Hashable {
    package var done: Int64
    package var total: Int64

    /// Makes a progress from its parts.
    package init(done: Int64, total: Int64) {
        self.done = done
        self.total = total
    }

    package init(from reader: inout JSONReader) throws(JSONError) {
        var (done, total) = (Int64(0), Int64(0))
        try reader.readFields { (reader) throws(JSONError) in
            if reader.keyIs("bytesDone") {
                done = try reader.readInteger()
            } else if reader.keyIs("bytesTotal") {
                total = try reader.readInteger()
            } else {
                try reader.skipValue()
            }
        }
        self.init(done: done, total: total)
    }

    /// Percent, from 0 to 100.
    package var percent: Int64 {
        guard total > 0, done > 0 else { return 0 }
        return done >= total ? 100 : Int64(Double(done) / Double(total) * 100)
    }
}
