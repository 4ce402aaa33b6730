// How far a shared container is, over all of its folders.
// SPDX-License-Identifier: Apache-2.0

internal import GatherKit

/// The state of a shared container.
struct ContainerSync: Equatable {
    enum State: String {
        /// All devices are known to have the same items.
        case inStep = "in step"
        /// Items come from other devices.
        case receiving
        /// Items go to other devices.
        case sending
        /// Items are missing, and no device that has or lacks them is connected. Or a device has never been connected, so
        /// its items are unknown.
        case waiting
        case scanning
        /// It is shared with no device.
        case alone
        case paused
        case error
        /// It is shared, and Syncthing has no folder for it.
        case noFolder = "no folder"
        /// Syncthing does not answer.
        case unknown

        var color: Color {
            switch self {
            case .inStep: .green
            case .error, .noFolder: .red
            case .receiving, .sending, .scanning: .cyan
            case .waiting, .alone, .paused, .unknown: .yellow
            }
        }
    }

    /// The items that another device does not have.
    struct Lack: Equatable {
        var device: String
        var isConnected = false
        /// In percent.
        var completion = 100.0
        var items = 0
        var bytes = 0
    }

    let identifier: ContainerIdentifier
    let path: String
    let state: State
    let folders: [SharedFolder]
    let errors: [String]
    /// The devices that it is shared with.
    let devices: [Lack]

    var missingItems: Int { Amount.sum(folders.map(\.missingItems)) }
    var missingBytes: Int { Amount.sum(folders.map(\.missingBytes)) }
    var items: Int { Amount.sum(folders.map(\.items)) }
    var bytes: Int { Amount.sum(folders.map(\.bytes)) }

    /// The part of the bytes that has been transferred, from 0 to 1; nil if nothing is to be transferred now.
    var share: Double? {
        switch state {
        case .receiving:
            bytes > 0 || missingBytes > 0
                ? max(0, Double(bytes)) / max(1, Double(bytes) + Double(missingBytes)) : nil
        case .sending:
            devices.filter { $0.isConnected && $0.items > 0 }.map { min(max(0, $0.completion / 100), 1) }.min()
        default: nil
        }
    }

    init(_ identifier: ContainerIdentifier, path: String?, _ status: SharingStatus) {
        self.identifier = identifier
        let folders = status.folders(of: identifier)
        self.folders = folders
        // A folder of the documents lies within that of the container.
        self.path = path ?? folders.map(\.path).min { $0.utf8.count < $1.utf8.count } ?? ""
        errors = folders.compactMap(\.error)
        let connected = Set(status.devices.filter(\.isConnected).map(\.identifier))
        let seen = Set(status.devices.filter { $0.isConnected || $0.lastSeen != nil }.map(\.identifier))
        var devices: [Lack] = []
        for share in folders.flatMap(\.shares) {
            let place = devices.firstIndex { $0.device == share.device } ?? devices.endIndex
            if place == devices.endIndex {
                devices.append(Lack(device: share.device, isConnected: connected.contains(share.device)))
            }
            devices[place].completion = min(devices[place].completion, share.completion)
            devices[place].items = Amount.sum([devices[place].items, share.missingItems])
            devices[place].bytes = Amount.sum([devices[place].bytes, share.missingBytes])
        }
        self.devices = devices
        let isMissingHere = folders.contains { $0.missingItems > 0 }
        state =
            if !status.isRunning {
                .unknown
            } else if folders.isEmpty {
                .noFolder
            } else if !errors.isEmpty {
                .error
            } else if folders.contains(where: \.isPaused) {
                .paused
            } else if devices.isEmpty {
                .alone
            } else if isMissingHere {
                devices.contains(where: \.isConnected) ? .receiving : .waiting
            } else if devices.contains(where: { $0.items > 0 }) {
                devices.contains { $0.items > 0 && $0.isConnected } ? .sending : .waiting
            } else if devices.contains(where: { !seen.contains($0.device) }) {
                .waiting
            } else if folders.contains(where: { $0.state == "scanning" || $0.state == "scan-waiting" }) {
                .scanning
            } else {
                .inStep
            }
    }

    /// Returns the states of all shared containers: those of the helper, and those that gatherd knows as shared.
    static func all(_ status: SharingStatus, _ containers: [ContainerStatus]) -> [ContainerSync] {
        let shared = containers.filter { $0.sync != nil }
        let paths = Dictionary(shared.map { ($0.identifier, $0.path) }) { first, _ in first }
        let identifiers = Set(shared.map(\.identifier)).union(status.folders.map(\.container))
        return identifiers.sorted().map { ContainerSync($0, path: paths[$0], status) }
    }

    /// Returns the name for a terminal of the devices that it is shared with.
    func names(_ status: SharingStatus) -> String {
        devices.map { status.name(of: $0.device) }.joined(separator: ", ")
    }

    func object(_ status: SharingStatus) -> [UInt8] {
        var line = JSONLine()
        line.add("container", identifier.rawValue)
        line.add("path", path)
        line.add("state", state.rawValue)
        line.add("inStep", state == .inStep)
        line.add("items", items)
        line.add("bytes", bytes)
        line.add("missingItems", missingItems)
        line.add("missingBytes", missingBytes)
        line.add("errors", errors)
        line.add("folders", folders.map(\.identifier))
        line.add(
            "devices",
            devices.map { lack in
                var line = JSONLine()
                line.add("device", lack.device)
                line.add("name", status.devices.first { $0.identifier == lack.device }?.name)
                line.add("connected", lack.isConnected)
                line.add("completion", lack.completion)
                line.add("missingItems", lack.items)
                line.add("missingBytes", lack.bytes)
                return line.bytes()
            })
        return line.bytes()
    }
}

/// Amounts that other programs tell.
enum Amount {
    /// Returns a sum, at most the largest number.
    static func sum(_ values: [Int]) -> Int {
        values.reduce(0) { sum, value in
            let (result, overflow) = sum.addingReportingOverflow(max(0, value))
            return overflow ? .max : result
        }
    }
}
