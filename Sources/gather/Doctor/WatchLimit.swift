// The limit of inotify watches that binds a daemon, and the setting that raises it.
// SPDX-License-Identifier: Apache-2.0

internal import GatherKit

/// The limit of inotify watches that binds a daemon.
///
/// The kernel counts a user's watches in the daemon's user namespace and in every namespace above it (`inc_ucount`).
/// gatherd takes a share of the limits that it can read.
struct WatchLimit: Equatable {
    /// The limit that stops the daemon first.
    enum Binding: Equatable {
        /// watch-share, of this readable limit.
        case share
        /// The kernel refused a watch below the share: other programs of the user hold the rest.
        case otherPrograms
        /// The kernel refused a watch below the share, and a namespace above has a limit of its own.
        case parentNamespace
    }

    enum Advice: Equatable {
        case share(Double)
        case limits([Setting])
        /// The limit of the host, to this value.
        case parent(Int)
        case none
    }

    struct Setting: Equatable {
        let key: String
        let value: Int
    }

    /// The default of watch-share.
    static let usualShare = 0.8
    private static let kernelKey = "fs.inotify.max_user_watches"
    private static let namespaceKey = "user.max_inotify_watches"
    /// The kernel's largest value (`SYSCTL_INT_MAX`).
    static let highest = Int(Int32.max)
    /// The lowest advised limit, the kernel's default on a small machine.
    private static let least = 8_192

    let kernelLimit: Int
    /// The limit of the user namespace; nil if it is no lower than the kernel's.
    let namespaceLimit: Int?
    let share: Double
    let binding: Binding
    /// The number of watches that gatherd may use.
    let allowed: Int
    /// The number of directories that need a watch.
    let needed: Int
    let isShort: Bool

    /// - Parameters:
    ///   - share: The configured share; nil if it is unknown.
    ///   - allowed: The limit that the daemon uses; nil without a daemon.
    ///   - used: The number of watches in use; nil if it is unknown.
    ///   - isPolled: Whether directories are polled for lack of watches.
    init(
        kernelLimit: Int, namespaceLimit: Int?, isInNamespace: Bool, share: Double?, allowed: Int?, used: Int?,
        needed: Int, isPolled: Bool
    ) {
        self.kernelLimit = kernelLimit
        self.namespaceLimit = namespaceLimit.flatMap { $0 < kernelLimit ? $0 : nil }
        self.share = share ?? Self.usualShare
        self.needed = needed
        let readable = Double(self.namespaceLimit ?? kernelLimit)
        let ofShare = Int(readable * self.share)
        self.allowed = allowed ?? ofShare
        isShort = needed > self.allowed || isPolled
        // After each poll the daemon tries its whole share again, so it may hold fewer watches than its limit.
        let isRefused = self.allowed < ofShare || (isPolled && needed <= self.allowed && (used ?? .max) < self.allowed)
        // Without the share, the whole difference would count as refused.
        let knowsRefusal = isRefused && share != nil
        binding = !knowsRefusal ? .share : isInNamespace ? .parentNamespace : .otherPrograms
    }

    /// Whether more than nine tenths are needed.
    var isNearlyShort: Bool { Double(needed) > Double(allowed) * 0.9 }

    /// The name of the limit that binds, with its value.
    var origin: String {
        let readable =
            namespaceLimit.map { "\(Self.namespaceKey) = \(Readable.count($0)), the limit of this user namespace" }
            ?? "\(Self.kernelKey) = \(Readable.count(kernelLimit))"
        return switch binding {
        case .share: "watch-share \(share) of \(readable)"
        case .otherPrograms: "other programs of the user hold the rest of \(readable)"
        case .parentNamespace: "a user namespace above this one allows no more, although \(readable)"
        }
    }

    var advice: Advice {
        let readable = namespaceLimit ?? kernelLimit
        switch binding {
        case .share where share < Self.usualShare && Double(needed) < Double(readable) * Self.usualShare * 0.9:
            return .share(Self.usualShare)
        case .share: return raised { Double($0) * share >= Double(2 * max(needed, allowed)) }
        case .otherPrograms: return raised { $0 >= readable + 2 * max(needed - allowed, allowed) }
        case .parentNamespace:
            // The kernel's readable limit is that of the host.
            let value = Self.raised(kernelLimit) { $0 >= 2 * kernelLimit }
            return value.map { .parent($0) } ?? .none
        }
    }

    private func raised(_ isEnough: (Int) -> Bool) -> Advice {
        var settings: [Setting] = []
        if let namespaceLimit {
            guard let value = Self.raised(namespaceLimit, isEnough) else { return .none }
            settings.append(Setting(key: Self.namespaceKey, value: value))
            guard value > kernelLimit else { return .limits(settings) }
        }
        guard let value = Self.raised(kernelLimit, isEnough) else { return .none }
        settings.append(Setting(key: Self.kernelKey, value: value))
        return .limits(settings)
    }

    /// Returns the lowest power of two above a limit that suffices, or the highest limit; nil if that is in force.
    private static func raised(_ limit: Int, _ isEnough: (Int) -> Bool) -> Int? {
        guard limit < highest else { return nil }
        var value = least
        while value < highest, value <= limit || !isEnough(value) { value *= 2 }
        return min(value, highest)
    }
}
