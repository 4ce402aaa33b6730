// The path of something removed, as bytes.
// SPDX-License-Identifier: Apache-2.0

internal import Varlink

extension Removal {
    /// The path's own bytes, also where they are not UTF-8.
    package var pathBytes: [UInt8] {
        rawPath.flatMap { Array($0.utf8).withUnsafeBytes { Base64.decode($0) } } ?? Array(path.utf8)
    }
}
