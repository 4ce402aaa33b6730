// RENAME_EXCHANGE: two renames in the stream, told from a rename over an entry.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Metadata

/// The second pair of an exchange, not heard of yet.
struct SecondPair {
    var from: DirectoryID
    var name: [UInt8]
    var to: DirectoryID
    /// It lies before this in the stream.
    var end: UInt64
}

/// What follows a rename onto an entry says of whether it is the first pair of an exchange.
enum ExchangeSign: Equatable {
    /// It is, and this the cookie of the second.
    case isExchange(UInt32)
    /// There is such a second pair at once, and nothing after it that tells.
    case isPaired(UInt32)
    /// There is, but the name was free after it.
    case isTakenAgain
    case isNone
    case unknown
}

extension TreeWatcher {
    /// The second pair of an exchange of which the first was recognised by where its files are: nothing else can be told of the
    /// two directories before it.
    func noteSecondPair(_ id: DirectoryID, _ event: InotifyEvent, name: UnsafeRawBufferPointer, at cause: UInt64) {
        guard let pair = secondPair, id == pair.from || id == pair.to || cause >= pair.end else { return }
        secondPair = nil
        if cause < pair.end, event.mask.contains(.movedFrom), id == pair.from, name.elementsEqual(pair.name) {
            exchangeCookie = event.cookie
        }
    }

    /// Waits for the second pair of an exchange that was recognised by its files. It is made while the directory is held, so
    /// having waited for that it is queued; a rename of the same name that comes later is another.
    func awaitSecondPair(from id: DirectoryID, _ name: UnsafeRawBufferPointer, to other: DirectoryID) {
        if let directory = try? descriptor(of: id) { kernel.finishRenames(in: directory) }
        secondPair = SecondPair(from: id, name: Array(name), to: other, end: position + queuedBytes())
    }

    /// Looks for the second pair of an exchange of which the first is the rename that was just read. `mv a b; mv b a` has the same
    /// four events. After that nothing is called b, so whatever is told of b next tells which it was: that it was made, or came,
    /// or something else; where nothing is told, a look.
    func exchangeSign(
        _ half: RenameHalf, _ id: DirectoryID, _ name: UnsafeRawBufferPointer, _ following: UnsafeRawBufferPointer
    ) -> ExchangeSign {
        let (there, here) = (directories[half.directory].watch, directories[id].watch)
        var offset = 0
        var cookie: UInt32?
        var (isPair, isAdjacent) = (false, true)
        for _ in 0..<settings.limits.eventsAhead {
            guard let event = InotifyEvent(in: following, at: &offset) else { break }
            if event.nameLength == 0 { continue }
            let named = event.name(in: following)
            if isPair {
                guard event.watch == here, named.elementsEqual(name), let cookie else { continue }
                if !event.mask.isDisjoint(with: [.create, .movedTo]) { return .isTakenAgain }
                return isAdjacent ? .isExchange(cookie) : .unknown
            }
            let isSecond = cookie != nil && event.cookie == cookie && event.mask.contains(.movedTo)
            // While it is made, nothing else is told of the two directories.
            guard
                isSecond
                    || (event.watch == here || event.watch == there)
                        && event.mask.rawValue & ~InotifyMask.contentChanges != 0
            else {
                isAdjacent = false
                continue
            }
            if cookie == nil {
                guard event.mask.contains(.movedFrom), event.watch == here, named.elementsEqual(name) else {
                    return .isNone
                }
                cookie = event.cookie
            } else {
                guard isSecond, event.watch == there, named.elementsEqual(half.name) else { return .isNone }
                isPair = true
            }
        }
        guard isPair, isAdjacent, let cookie else { return .unknown }
        return .isPaired(cookie)
    }

    func cookieOfExchange(
        _ sign: ExchangeSign, _ source: FileStatus, _ name: UnsafeRawBufferPointer, _ id: DirectoryID
    ) -> UInt32? {
        switch sign {
        case .isExchange(let cookie): cookie
        case .isPaired(let cookie):
            status(of: name, in: id).map { isSameFile($0.file, source) } == true ? cookie : nil
        case .isTakenAgain, .isNone, .unknown: nil
        }
    }
}
