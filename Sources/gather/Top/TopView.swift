// The live view: draws, handles keys, and asks again.
// SPDX-License-Identifier: Apache-2.0

internal import GatherKit
internal import Glibc
internal import LinuxSystem

/// The live view on a terminal, until it is quit.
struct TopView {
    private let connection: Connection
    private let poller: TopPoller
    private let signals: Int32
    private let hasColor: Bool
    private var iterations: Int?
    private var model = TopModel()
    private var screen: TopScreen
    /// The time of the next question, and the time since which the daemon has not answered.
    private var askAgain: UInt64 = 0
    private var askedSince: UInt64?
    private var isOver = false

    init(_ connection: Connection, _ screen: TopScreen, iterations: Int?) throws {
        self.connection = connection
        self.screen = screen
        self.iterations = iterations
        hasColor = Terminal.hasColor()
        poller = try TopPoller(connection)
        guard let signals = RawTerminal.begin() else { throw Failure("the terminal cannot be set") }
        self.signals = signals
    }

    mutating func run() {
        defer { RawTerminal.leave() }
        while !isOver {
            let now = MonotonicClock.now()
            if now >= askAgain, !screen.isPaused {
                poller.ask()
                if askedSince == nil { askedSince = now }
                askAgain = now + UInt64(screen.interval * 1e9)
            }
            noteSilence(now)
            draw()
            wait(until: screen.isPaused ? nil : askAgain)
        }
    }

    /// The time after which a daemon that is stopped or busy is reported.
    private mutating func noteSilence(_ now: UInt64) {
        guard let askedSince, now - askedSince > Self.patience else { return }
        screen.message = "gatherd does not answer since \((now - askedSince) / 1_000_000_000) s; waiting for it"
    }

    private static let patience: UInt64 = 3_000_000_000

    private mutating func wait(until deadline: UInt64?) {
        var descriptors = [STDIN_FILENO, signals, poller.descriptor].map {
            pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
        }
        let now = MonotonicClock.now()
        let milliseconds = deadline.map { $0 > now ? Int32(clamping: ($0 - now) / 1_000_000 + 1) : 0 } ?? -1
        guard poll(&descriptors, nfds_t(descriptors.count), milliseconds) > 0 else { return }
        if descriptors[1].revents != 0 { receiveSignals() }
        if descriptors[2].revents != 0, let answer = poller.take() { take(answer) }
        if descriptors[0].revents != 0 { receiveKeys() }
    }

    private mutating func take(_ answer: Result<TopSample, GatherError>) {
        askedSince = nil
        switch answer {
        case .success(let sample):
            screen.message = nil
            model.add(sample)
            // Rates need two samples.
            if model.hasRates, let left = iterations {
                iterations = left - 1
                isOver = left <= 1
            }
        case .failure(let error):
            let text = error.message.split(separator: ". Start it with:").first.map(String.init) ?? error.message
            screen.message = text + "; trying again"
        }
    }

    private mutating func receiveSignals() {
        var numbers = [UInt8](repeating: 0, count: 64)
        let count = read(signals, &numbers, numbers.count)
        for number in numbers.prefix(max(0, count)).map(Int32.init) {
            switch number {
            case SIGWINCH, SIGCONT: break
            case SIGTSTP: RawTerminal.suspend()
            default: RawTerminal.end(by: number)
            }
        }
    }

    private mutating func receiveKeys() {
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = read(STDIN_FILENO, &bytes, bytes.count)
        // The terminal is gone, and poll(2) would return at once each time.
        if count == 0 || count < 0 && errno != EINTR && errno != EAGAIN { isOver = true }
        for key in TopKey.keys(in: bytes.prefix(max(0, count))) {
            if key == .quit { isOver = true }
            screen.apply(key)
            if key == .again { askAgain = 0 }
        }
    }

    private mutating func draw() {
        (screen.width, screen.height) = RawTerminal.size
        let lines = screen.lines(model, socket: connection.daemon.path)
        var text = "\u{1B}[H"
        for (place, line) in lines.enumerated() {
            for cell in line {
                let shown = DisplayText.escaped(cell.text)
                text += cell.color?.paint(shown, if: hasColor) ?? shown
            }
            text += "\u{1B}[K" + (place < lines.count - 1 ? "\r\n" : "")
        }
        var output = Output()
        output.text(Array((text + "\u{1B}[J").utf8))
        output.flush()
    }
}

/// A key with a function.
enum TopKey: Equatable {
    case quit
    case help
    case order(TopScreen.Order)
    case reverse
    case table
    case move(Int)
    case faster
    case slower
    case pause
    case again

    /// The key for the bytes that a terminal sends.
    static func keys(in bytes: some Collection<UInt8>) -> [TopKey] {
        var keys: [TopKey] = []
        var rest = Array(bytes)[...]
        while let byte = rest.first {
            let sequences: [(String, TopKey)] = [
                ("\u{1B}[A", .move(-1)), ("\u{1B}[B", .move(1)), ("\u{1B}OA", .move(-1)), ("\u{1B}OB", .move(1)),
                ("\u{1B}[5~", .move(-10)), ("\u{1B}[6~", .move(10)), ("\u{1B}[H", .move(-100_000)),
                ("\u{1B}[F", .move(100_000)),
            ]
            if let known = sequences.first(where: { rest.starts(with: $0.0.utf8) }) {
                keys.append(known.1)
                rest = rest.dropFirst(known.0.utf8.count)
                continue
            }
            // Other escape sequences are skipped up to their final letter.
            if byte == 0x1B, rest.dropFirst().first == UInt8(ascii: "[") {
                rest = rest.dropFirst(2).drop { !(0x40...0x7E).contains($0) }.dropFirst()
                continue
            }
            rest = rest.dropFirst()
            switch UnicodeScalar(byte) {
            case "q", "Q": keys.append(.quit)
            case "h", "?": keys.append(.help)
            case "a": keys.append(.order(.activity))
            case "m": keys.append(.order(.size))
            case "l": keys.append(.order(.latency))
            case "n": keys.append(.order(.name))
            case "r": keys.append(.reverse)
            case "\t": keys.append(.table)
            case "k": keys.append(.move(-1))
            case "j": keys.append(.move(1))
            case "+": keys.append(.faster)
            case "-": keys.append(.slower)
            case " ", "p": keys.append(.pause)
            case "\n", "\r": keys.append(.again)
            default: break
            }
        }
        return keys
    }
}

extension TopScreen {
    static let shortestInterval = 0.1
    static let longestInterval = 3_600.0

    mutating func apply(_ key: TopKey) {
        switch key {
        case .quit, .again: break
        case .help: showsHelp.toggle()
        case .order(let order):
            self.order = order
            (containerOffset, queryOffset) = (0, 0)
        case .reverse: isReversed.toggle()
        case .table: table = table == .queries ? .containers : .queries
        case .move(let rows):
            switch table {
            case .containers: containerOffset = max(0, containerOffset + rows)
            case .queries: queryOffset = max(0, queryOffset + rows)
            }
        case .faster: interval = max(Self.shortestInterval, interval / 2)
        case .slower: interval = min(Self.longestInterval, interval * 2)
        case .pause: isPaused.toggle()
        }
    }
}
