// The doctor's findings about limits of watches, and its advice.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import Testing

@testable import gather

struct DoctorLimitTests {
    /// The finding about watches of a machine with this limit of the kernel and this daemon.
    private func watches(
        kernel: Int = 192_536, namespace: Int? = nil, map: String? = nil, place: Doctor<MadeUpMachine>.Place = .system,
        _ change: (inout DaemonFacts) -> Void
    ) throws -> Finding {
        var machine = MadeUpMachine()
        machine.texts["/proc/sys/fs/inotify/max_user_watches"] = "\(kernel)\n"
        machine.texts["/proc/sys/user/max_inotify_watches"] = namespace.map { "\($0)\n" }
        machine.texts["/proc/77/uid_map"] = map ?? "         0          0 4294967295\n"
        machine.change(change)
        return try #require(machine.examined(place).first { $0.subject == "limits" && $0.level >= .warning })
    }

    private func values(_ finding: Finding) -> [Int] {
        (finding.command ?? "").matches(of: /(?:watches ?= ?)([0-9]+)/).compactMap { Int($0.1) }
    }

    @Test func aSmallWatchShareIsNamedAndRaised() throws {
        let found = try watches {
            ($0.watchLimit, $0.watchShare, $0.containers[0].directories) = (1_925, 0.01, 5_000)
        }
        #expect(
            found.text
                == "5,000 directories need an inotify watch and gatherd may use 1,925 (watch-share 0.01 of fs.inotify.max_user_watches = 192,536); the other directories are polled"
        )
        #expect(
            found.command
                == "sudo sed -i 's/^watch-share.*/watch-share = 0.8/' /etc/gatherd/gatherd.toml && sudo gather reload")
        let other = try watches(place: .other) {
            ($0.watchLimit, $0.watchShare, $0.containers[0].directories) = (1_925, 0.01, 5_000)
        }
        #expect(other.command == nil && other.text.hasSuffix("raise watch-share in the configuration file"))
    }

    @Test func theLimitOfAUserNamespaceIsNamedAndRaised() throws {
        let found = try watches(namespace: 4_096, map: "0 1000 1\n") {
            ($0.watchLimit, $0.watchShare, $0.containers[0].directories) = (3_276, 0.8, 5_000)
        }
        #expect(found.text.contains("user.max_inotify_watches = 4,096, the limit of this user namespace"))
        #expect(found.command?.contains("user.max_inotify_watches = 16384") == true)
        #expect(values(found) == [16_384])
        // The kernel's own limit has to follow.
        let both = try watches(kernel: 6_000, namespace: 4_096, map: "0 1000 1\n") {
            ($0.watchLimit, $0.watchShare, $0.containers[0].directories) = (3_276, 0.8, 5_000)
        }
        #expect(values(both) == [16_384, 16_384])
    }

    @Test func aLimitOfANamespaceAboveIsNamed() throws {
        let found = try watches(map: "0 1000 1\n") {
            ($0.watches, $0.watchLimit, $0.watchShare, $0.containers[0].directories) = (1_000, 1_000, 0.8, 5_000)
        }
        #expect(
            found.text.contains(
                "a user namespace above this one allows no more, although fs.inotify.max_user_watches = 192,536"))
        #expect(found.command == "sudo sysctl -w fs.inotify.max_user_watches=524288  # on the host")
    }

    @Test func otherProgramsThatHoldTheWatchesAreNamed() throws {
        let found = try watches {
            ($0.watches, $0.watchLimit, $0.watchShare, $0.containers[0].directories) = (1_000, 1_000, 0.8, 5_000)
        }
        #expect(
            found.text.contains("other programs of the user hold the rest of fs.inotify.max_user_watches = 192,536"))
        #expect(values(found) == [262_144])
        // Between two polls the daemon takes its share for the limit.
        let between = try watches {
            ($0.watches, $0.watchLimit, $0.watchShare) = (1_000, 154_028, 0.8)
            ($0.containers[0].directories, $0.containers[0].overLimit) = (5_000, 4_000)
        }
        #expect(between.text.contains("other programs of the user hold the rest"))
        #expect(values(between).allSatisfy { $0 > 192_536 })
    }

    @Test func adviceNeverLowersALimit() throws {
        var generator = SplitMix(state: 25)
        for trial in 0..<2_000 {
            let kernel = Int.random(in: 1...(trial % 2 == 0 ? 500_000 : WatchLimit.highest), using: &generator)
            let namespace = Bool.random(using: &generator) ? Int.random(in: 1...1_000_000, using: &generator) : nil
            let limit = WatchLimit(
                kernelLimit: kernel, namespaceLimit: namespace, isInNamespace: .random(using: &generator),
                share: Bool.random(using: &generator) ? .random(in: 0.001...1, using: &generator) : nil,
                allowed: Bool.random(using: &generator) ? .random(in: 0...kernel, using: &generator) : nil,
                used: Bool.random(using: &generator) ? .random(in: 0...kernel, using: &generator) : nil,
                needed: .random(in: 1...2_000_000, using: &generator), isPolled: .random(using: &generator))
            switch limit.advice {
            case .share(let share): #expect(share > limit.share)
            case .parent(let value): #expect(value > kernel && value <= WatchLimit.highest)
            case .limits(let settings):
                #expect(!settings.isEmpty)
                for setting in settings {
                    let inForce = setting.key.hasPrefix("user.") ? try #require(namespace) : kernel
                    #expect(setting.value > inForce && setting.value <= WatchLimit.highest, "\(limit)")
                }
            case .none: #expect(kernel == WatchLimit.highest || kernel > WatchLimit.highest / 2)
            }
        }
    }
}

/// splitmix64 (Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators").
private struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var bits = state
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return bits ^ (bits >> 31)
    }
}
