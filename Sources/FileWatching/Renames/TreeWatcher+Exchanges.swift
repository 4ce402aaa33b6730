// RENAME_EXCHANGE: two renames in the stream, told from a rename over an entry.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Metadata

/// Whether a rename onto an entry is the first pair of an exchange, by the events that follow it.
enum ExchangeSign: Equatable {
    /// It is, and this the cookie of the second.
    case isExchange(UInt32)
    /// There is such a second pair at once, and nothing after it that tells: `isAll` where that is all that was read.
    case isPaired(UInt32, isAll: Bool)
    /// There is, but the name was free after it.
    case isTakenAgain
    case isNone
    case unknown
    /// The events read show nothing, and later ones may.
    case unread

    /// Whether more that follows may say otherwise.
    var isOpen: Bool {
        switch self {
        case .isPaired(_, let isAll): isAll
        case .unread: true
        case .isExchange, .isTakenAgain, .isNone, .unknown: false
        }
    }
}

extension TreeWatcher {
    /// Waits for the second pair of an exchange that was recognised by its files. It is made while the directory is held, so
    /// having waited for that it is queued; a rename of the same name that comes later is another.
    func awaitSecondPair(from id: DirectoryID, _ name: UnsafeRawBufferPointer, to other: DirectoryID) {
        if let directory = try? descriptor(of: id) { kernel.finishRenames(in: directory) }
        applied.exchange.expect(from: id, Array(name), to: other, before: position + queuedBytes())
    }

    /// Looks for the second pair of an exchange of which the first is the rename that was just read. `mv a b; mv b a`
    /// has the same four events. After that nothing is called b, so the next event of b tells which it was: that it was
    /// made, or came, or something else; where there is none, a look-up. A file that comes and leaves again at once
    /// tells nothing: it has changed places with the one there, or there was none and is none.
    func exchangeSign(
        _ rename: PendingRename, _ id: DirectoryID, _ name: UnsafeRawBufferPointer, _ following: UnsafeRawBufferPointer
    ) -> ExchangeSign {
        let (there, here) = (directories[rename.directory].watch, directories[id].watch)
        var offset = 0
        var cookie: UInt32?
        var (isPair, isLeaving) = (false, false)
        for _ in 0..<settings.limits.eventsAhead {
            guard let event = InotifyEvent(in: following, at: &offset) else { break }
            if event.nameLength == 0 { continue }
            let named = event.name(in: following)
            if isPair {
                guard event.watch == here, named.elementsEqual(name), let cookie else { continue }
                if isLeaving {
                    isLeaving = !event.mask.contains(.movedFrom)
                    continue
                }
                if event.mask.contains(.movedTo) {
                    let rest = UnsafeRawBufferPointer(rebasing: following[offset...])
                    isLeaving = isLeft(name, here, rest) ?? (queuedBytes() > 0)
                }
                if isLeaving { continue }
                return event.mask.isDisjoint(with: [.create, .movedTo]) ? .isExchange(cookie) : .isTakenAgain
            }
            let isSecond = cookie != nil && event.cookie == cookie && event.mask.contains(.movedTo)
            // While it is made, nothing else is told of the two directories.
            guard
                isSecond
                    || (event.watch == here || event.watch == there)
                        && event.mask.rawValue & ~InotifyMask.contentChanges != 0
            else { continue }
            if cookie == nil {
                guard event.mask.contains(.movedFrom), event.watch == here, named.elementsEqual(name) else {
                    return .isNone
                }
                cookie = event.cookie
            } else {
                guard isSecond, event.watch == there, named.elementsEqual(rename.name) else { return .isNone }
                isPair = true
            }
        }
        let isAll = offset == following.count
        if isPair, let cookie { return .isPaired(cookie, isAll: isAll) }
        return isAll ? .unread : .unknown
    }

    /// The cookie of the second pair where a rename is the first of an exchange. Where nothing after both tells,
    /// something lies where that brings it, and nothing is queued that could have brought it otherwise: two renames
    /// have left that free. If more is queued it must be the file of the row: the one by the events read, since a
    /// look-up may have set the file that came to its name by the exchange. Without a row the file that came is
    /// unknown. Where nothing can be seen there, since its directory has moved on, it is taken for one: a file that has
    /// come onto another (`isOntoAnother`) and gone back has left that one's row where it came from, as an exchange
    /// does, and the look that waits for the directory shows whether anything is at the other name.
    func cookieOfExchange(
        _ sign: ExchangeSign, _ source: TreeNode?, ontoAnother isOntoAnother: Bool = false,
        _ name: UnsafeRawBufferPointer, _ id: DirectoryID, at position: UInt64
    ) -> UInt32? {
        switch sign {
        case .isExchange(let cookie): return cookie
        case .isPaired(let cookie, let isAll):
            guard let found = status(of: name, in: id) else {
                return isOntoAnother && (try? descriptor(of: id)) == nil ? cookie : nil
            }
            if let file = source.flatMap({ likelyFile(of: $0, at: position) }), fileIdentities.isSame(found.file, file)
            {
                return cookie
            }
            return isAll && isQuiet(id) ? cookie : nil
        case .isTakenAgain, .isNone, .unknown, .unread: return nil
        }
    }

    // MARK: Undecided renames

    /// Whether a rename has come upon an entry, and the events read do not decide whether it is the first pair of an
    /// exchange, though more is queued. It waits for that: queued events made the present state, which says less than
    /// they do.
    func isUndecided(
        _ event: InotifyEvent, _ name: UnsafeRawBufferPointer, _ origin: Origin, following: UnsafeRawBufferPointer
    ) -> Bool {
        guard event.mask.contains(.movedTo), origin.position >= resumption.received,
            !applied.exchange.isSecond(event.cookie),
            let id = directories.directory(watch: event.watch), !directories[id].flags.contains(.inaccessible)
        else { return false }
        if let rename = renames.pending(cookie: event.cookie) {
            guard !isSave(rename, event, name, in: id), isOntoAnother(rename, name, in: id),
                exchangeSign(rename, id, name, following).isOpen
            else {
                return false
            }
        } else {
            guard event.mask.contains(.isDirectory), replacedDirectory(name, in: id) != nil,
                arrival(name, event.watch, following).isOpen
            else { return false }
        }
        return queuedBytes() > 0
    }

    /// Whether a rename may have come upon an entry: one that is known, or one that was heard of and not seen yet.
    func isOntoAnother(_ rename: PendingRename, _ name: UnsafeRawBufferPointer, in id: DirectoryID) -> Bool {
        let to = directories[id].node
        guard rename.container == to.container, directories.isAlive(rename.directory) else { return false }
        return tree.child(of: to, named: name) != nil || (rename.hasRow && waits(name, in: id))
    }

    /// An exchange of an unseen new file with one that has a row: the row goes to the other's name, and the other is
    /// looked at where it is then. False where it is none.
    func exchangeUnseen(
        _ rename: PendingRename, _ name: UnsafeRawBufferPointer, in id: DirectoryID, _ sign: ExchangeSign
    ) -> Bool {
        let (from, to) = (directories[rename.directory].node, directories[id].node)
        guard let target = tree.child(of: to, named: name), renames.pending(id, name)?.hasRow != true,
            !isSelfOrAncestor(target, of: from),
            let cookie = cookieOfExchange(sign, nil, name, id, at: rename.origin.position)
        else { return false }
        return rename.name.withUnsafeBytes { former in
            if let waiting = tree.child(of: from, named: former) {
                // It has left that name before.
                guard !isSelfOrAncestor(waiting, of: to), detach(former, in: rename.directory) else { return false }
            }
            noteExchange(nil, rename, target, name, in: id)
            moveRow(target, to: from, named: former)
            uncertain.provisional.moved(target, at: rename.origin.position)
            applied.exchange.expect(cookie)
            return true
        }
    }
}
