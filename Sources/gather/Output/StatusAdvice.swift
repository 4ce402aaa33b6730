// Advice for an administrator.
// SPDX-License-Identifier: Apache-2.0

internal import GatherKit

/// Advice from the state of the daemon and its containers: sentences with commands.
enum StatusAdvice {
    static func next(
        _ containers: [(identifier: String, state: ContainerStatus.State, unreadable: Int)], overflows: Int,
        uptime: Int?, isUnsaved: Bool = false, words: String, shell: String = ""
    ) -> [String] {
        let gather = shell + "gather"
        func named(_ states: Set<ContainerStatus.State>) -> String? {
            let names = containers.filter { states.contains($0.state) }.map(\.identifier)
            guard let first = names.first else { return nil }
            return names.count == 1 ? "'\(first)' is" : "\(names.count) containers are"
        }
        var next: [String] = []
        if containers.isEmpty { next.append("nothing is watched yet: \(gather) container add\(words) NAME DIRECTORY") }
        if let names = named([.crawling, .verifying]) {
            next.append("\(names) being read, and answers wait for that: \(gather) container list --wait\(words)")
        }
        if let names = named([.degraded]) {
            next.append("\(names) degraded; what mends that: \(gather) doctor\(words)")
        }
        if let names = named([.unavailable]) {
            next.append("\(names) unavailable; why, and what mends it: \(gather) doctor\(words)")
        }
        if containers.contains(where: { $0.unreadable > 0 && $0.state == .live }) {
            next.append("directories cannot be read; what mends that: \(gather) doctor\(words)")
        }
        if LostEvents.areMany(overflows, uptime: uptime) {
            next.append("events were lost and made good by comparing; for a larger queue: \(gather) doctor\(words)")
        }
        if isUnsaved { next.append("the state is not saved; the reason and what mends it: \(gather) doctor\(words)") }
        return next
    }
}
