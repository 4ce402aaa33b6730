// How far the reading of containers is, on a terminal.
// SPDX-License-Identifier: Apache-2.0

internal import GatherKit
internal import Glibc

/// One line on the terminal that replaces itself. Nothing where standard error is none, or where what is printed goes into
/// a pipe: whoever reads that may draw on the same terminal.
struct Progress {
    let isShown: Bool

    init() {
        var status = stat()
        let isPiped = fstat(STDOUT_FILENO, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
        isShown = Terminal.isTerminal(STDERR_FILENO) && !isPiped
    }

    func show(_ text: String) { write("\r\u{1B}[K" + text) }

    func clear() { write("\r\u{1B}[K") }

    private func write(_ text: String) {
        guard isShown else { return }
        _ = Glibc.write(STDERR_FILENO, text, text.utf8.count)
    }
}

/// How far the reading of some containers is, as a line with a bar.
struct ReadingBar {
    /// The largest share that was shown: a bar does not go back.
    private var share = 0.0
    /// How often it was shown.
    private var count = 0

    mutating func line(_ containers: [ContainerStatus], width: Int, isUnicode: Bool) -> String {
        let temporary = containers.filter(\.state.isTemporary)
        let name = temporary.count == 1 ? DisplayText.escaped(temporary[0].identifier) : "\(temporary.count) containers"
        // How large a tree is that is read for the first time is known at the end.
        let isKnown = !temporary.contains { $0.state == .crawling }
        let items = Readable.count(temporary.reduce(0) { $0 + $1.items }, "item", "items")
        let known = temporary.reduce(0) { $0 + $1.directories }
        let left = temporary.reduce(0) { $0 + $1.outstandingDirectories }
        return line(
            "\(isKnown ? "comparing" : "reading") \(name)",
            share: isKnown && known > 0 ? 1 - Double(left) / Double(max(known, left)) : nil,
            isKnown ? items : "\(items) so far", width: width, isUnicode: isUnicode)
    }

    /// `comparing box  █████░░░░░  45 %  1,234 items`, as much of it as fits; where the share is not known a block that goes
    /// to and fro.
    mutating func line(_ title: String, share now: Double?, _ rest: String, width: Int, isUnicode: Bool) -> String {
        count += 1
        let percent = now.map { now in
            share = max(share, min(max(now, 0), 0.999))
            return DisplayWidth.fitted("\(Int(share * 100))", to: 2, alignsRight: true) + " %  "
        }
        let words = (percent ?? "") + rest
        let room = min(30, width - DisplayWidth.of(title) - DisplayWidth.of(words) - 4)
        guard room >= 5 else { return DisplayWidth.cut("\(title): \(words)", to: width) }
        var steps = [Character](repeating: isUnicode ? "░" : "-", count: room)
        let block = now == nil ? 4 : Int(share * Double(room))
        let way = 2 * (room - block)
        let start = now == nil ? min(count % way, way - count % way) : 0
        for place in start..<start + block { steps[place] = isUnicode ? "█" : "#" }
        return "\(title)  \(String(steps))  \(words)"
    }
}

extension Connection {
    /// Shows on a terminal how far containers are that are being read or compared, those that `isMeant` is true of, and
    /// returns when that is done; at once where there is no terminal, and where the daemon cannot be asked: whoever asks
    /// next hears why.
    func showProgress(of isMeant: (ContainerStatus) -> Bool) {
        let progress = Progress()
        guard progress.isShown, var client = try? connect() else { return }
        var bar = ReadingBar()
        var looks = 0
        while let containers = try? client.containers().filter(isMeant), containers.contains(where: \.state.isTemporary)
        {
            looks += 1
            // A short reading shows nothing.
            if looks > Self.silentLooks {
                progress.show(
                    bar.line(containers, width: RawTerminal.columns(STDERR_FILENO) - 1, isUnicode: Terminal.isUnicode))
            }
            _ = poll(nil, 0, looks > Self.silentLooks ? Self.lookMilliseconds : Self.firstLookMilliseconds)
        }
        if looks > Self.silentLooks { progress.clear() }
    }

    /// The same of the containers that a question is about.
    func showProgress(_ scopes: [SearchScope] = []) {
        showProgress { container in scopes.isEmpty || scopes.contains { $0.isAbout(container) } }
    }

    /// Returns when none of the containers is being read or compared, and shows on a terminal how far that is.
    func waitUntilRead() throws -> [ContainerStatus] {
        showProgress(of: { _ in true })
        var client = try connect()
        var latest: [ContainerStatus] = []
        try client.monitorContainers { containers in
            latest = containers
            return containers.contains(where: \.state.isTemporary)
        }
        return latest
    }

    private static var silentLooks: Int { 15 }
    private static var firstLookMilliseconds: Int32 { 20 }
    private static var lookMilliseconds: Int32 { 100 }
}

extension SearchScope {
    /// Whether a question with this scope waits for a container.
    fileprivate func isAbout(_ container: ContainerStatus) -> Bool {
        switch self {
        case .container(let identifier), .documents(let identifier), .data(let identifier):
            return identifier == container.identifier
        case .directory(let path):
            func lies(_ one: String, in other: String) -> Bool {
                one == other || other == "/" || one.hasPrefix(other + "/")
            }
            return lies(path, in: container.path) || lies(container.path, in: path)
        }
    }
}
