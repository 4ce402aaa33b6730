// Reports of a size that gatherd accepts.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import Varlink

/// Splits items into reports of a size that gatherd accepts.
enum ReportParts {
    /// Returns the items in parts of at most ``SyncLimits/reportBytes``.
    static func split(_ items: [SyncItemMessage]) -> [[SyncItemMessage]] {
        var parts: [[SyncItemMessage]] = []
        var part: [SyncItemMessage] = []
        var bytes = 0
        for item in items {
            let size = JSONBytes(item).count + 1
            if bytes + size > SyncLimits.reportBytes, !part.isEmpty {
                parts.append(part)
                part = []
                bytes = 0
            }
            part.append(item)
            bytes += size
        }
        if !part.isEmpty { parts.append(part) }
        return parts
    }
}
