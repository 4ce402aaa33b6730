// Machines that did not answer, or not exactly.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import GatherKit

/// The machines of several that did not answer, and the containers for which an answer may be wrong.
struct HostReport: Sendable {
    private var groups: [(failure: Failure, hosts: [String])] = []
    private var inexact: [String] = []

    /// Returns a message without the name of its machine. The reason for which ssh did not reach one begins with it.
    private static func unnamed(_ message: String, of host: String) -> String {
        let name = host + ": "
        return message.hasPrefix(name) ? String(message.dropFirst(name.count)) : message
    }

    /// Returns a message with the name of its machine in front, once.
    static func named(_ message: String, of host: String) -> String { "\(host): \(unnamed(message, of: host))" }

    /// Adds a machine that did not answer.
    mutating func add(_ failure: Failure, of host: String) {
        let message = HostReport.unnamed(failure.message, of: host)
        // Each machine finds the same fault in a predicate.
        let known = groups.firstIndex { $0.failure.status == failure.status && $0.failure.message == message }
        if let known {
            groups[known].hosts.append(host)
        } else {
            groups.append((Failure(status: failure.status, message), [host]))
        }
    }

    /// Adds the containers of a machine for which its answer may be wrong.
    mutating func add(inexact containers: [ContainerIdentifier], of host: String) {
        inexact += containers.map { "\(host):\($0)" }
    }

    /// Says all that. Returns the exit status: that of the first failure, or 0.
    func print(requiresExact: Bool) -> Int32 {
        for group in groups {
            let hosts = group.hosts.map { DisplayText.escaped($0) }.joined(separator: ", ")
            Output.note("\(hosts): \(group.failure.message)")
        }
        if !inexact.isEmpty { Output.note("the answer may be wrong for: \(inexact.joined(separator: ", "))") }
        let status = groups.first?.failure.status ?? 0
        let isKnown = [ExitStatus.predicate, ExitStatus.usage].contains(status) || groups.isEmpty && inexact.isEmpty
        return requiresExact && !isKnown ? ExitStatus.inexact : status
    }
}
