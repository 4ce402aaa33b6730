// The progress of reading containers, on a terminal.
// SPDX-License-Identifier: Apache-2.0

internal import GatherKit
internal import Glibc
internal import Synchronization

/// One line on the terminal that replaces itself. Nothing is shown if standard error is no terminal, or if standard output
/// is a pipe: its reader may draw on the same terminal.
struct Progress {
    /// Whether the line is on the screen now, for the handler of Ctrl-C.
    static let isOnScreen = Atomic<Bool>(false)

    let isShown: Bool

    init() {
        var status = stat()
        let isPiped = fstat(STDOUT_FILENO, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
        isShown = Terminal.isTerminal(STDERR_FILENO) && !isPiped
    }

    func show(_ text: String) {
        guard isShown else { return }
        Progress.isOnScreen.store(true, ordering: .relaxed)
        let text = "\r\u{1B}[K" + DisplayText.escaped(text)
        _ = Glibc.write(STDERR_FILENO, text, text.utf8.count)
    }

    func clear() {
        guard isShown else { return }
        Progress.eraseLine()
        Progress.isOnScreen.store(false, ordering: .relaxed)
    }

    /// Takes the line away. Safe in a signal handler.
    static func eraseLine() {
        var bytes: (UInt8, UInt8, UInt8, UInt8) = (0x0D, 0x1B, 0x5B, 0x4B)
        _ = Glibc.write(STDERR_FILENO, &bytes, 4)
    }
}

/// The progress of reading containers, as a line with a bar.
struct ReadingBar {
    /// The largest share that was shown, so that the bar does not go back.
    private var share = 0.0
    /// How many times the line was made.
    private var count = 0

    mutating func line(_ containers: [ContainerStatus], width: Int, isUnicode: Bool) -> String {
        let temporary = containers.filter(\.state.isTemporary)
        let name =
            temporary.count == 1
            ? DisplayText.escaped(temporary[0].identifier.rawValue) : "\(temporary.count) containers"
        // The size of a tree is not known while it is read for the first time.
        let isKnown = !temporary.contains { $0.state == .crawling }
        let items = Readable.count(temporary.reduce(0) { $0 + $1.items }, "item", "items")
        let known = temporary.reduce(0) { $0 + $1.directories }
        let left = temporary.reduce(0) { $0 + $1.outstandingDirectories }
        return line(
            "\(isKnown ? "comparing" : "reading") \(name)",
            share: isKnown && known > 0 ? 1 - Double(left) / Double(max(known, left)) : nil,
            isKnown ? items : "\(items) so far", width: width, isUnicode: isUnicode)
    }

    /// Returns `comparing box  █████░░░░░  45 %  1,234 items`, as much of it as fits. If the share is not known, a block goes
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
    /// Shows the progress of containers that are being read or compared, and for which `isMeant` holds, until that is done.
    /// Returns at once without a terminal, and if the daemon cannot be asked: the next call then gets the error. Throws if the
    /// daemon does not answer, since the next call would wait as long again.
    func showProgress(of isMeant: (ContainerStatus) -> Bool) throws(GatherError) {
        let progress = Progress()
        defer { if Progress.isOnScreen.load(ordering: .relaxed) { progress.clear() } }
        // Another connection to another machine is another login.
        guard progress.isShown, host == nil, var client = try? connect() else { return }
        var bar = ReadingBar()
        var looks = 0
        while true {
            let containers: [ContainerStatus]
            do throws(GatherError) {
                containers = try client.containers().filter(isMeant)
            } catch {
                if error.code == .notAnswering { throw error }
                break
            }
            guard containers.contains(where: \.state.isTemporary) else { break }
            looks += 1
            // A short reading shows nothing.
            if looks > Self.silentLooks {
                progress.show(
                    bar.line(containers, width: RawTerminal.columns(STDERR_FILENO) - 1, isUnicode: Terminal.isUnicode))
            }
            _ = poll(nil, 0, looks > Self.silentLooks ? Self.lookMilliseconds : Self.firstLookMilliseconds)
        }
    }

    /// Shows the progress of the containers that a question with these scopes is about.
    func showProgress(_ scopes: [SearchScope] = []) throws(GatherError) {
        try showProgress { container in scopes.isEmpty || scopes.contains { $0.isAbout(container) } }
    }

    /// Waits until no container is being read or compared, and shows the progress on a terminal.
    func waitUntilRead() throws -> [ContainerStatus] {
        try showProgress(of: { _ in true })
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
            let root = FilePath(container.path)
            return path.starts(with: root) || root.starts(with: path)
        }
    }
}
