// RENAME_EXCHANGE: two renames in the stream, told from a rename over an entry.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Metadata

/// The second pair of an exchange, not heard of yet.
struct SecondPair {
    var from: DirectoryID
    var name: [UInt8]
    var to: DirectoryID
}

extension TreeWatcher {
    /// The second pair of an exchange of which the first was recognised by where its files are: nothing else can be told of the
    /// two directories before it.
    func noteSecondPair(_ id: DirectoryID, _ event: InotifyEvent, name: UnsafeRawBufferPointer) {
        guard let pair = secondPair, id == pair.from || id == pair.to else { return }
        secondPair = nil
        if event.mask.contains(.movedFrom), id == pair.from, name.elementsEqual(pair.name) {
            exchangeCookie = event.cookie
        }
    }

    /// Whether what follows a rename shows that it is not the first pair of an exchange: while that is made, nothing else is
    /// told of the two directories.
    func isNoExchange(
        _ half: RenameHalf, _ id: DirectoryID, _ name: UnsafeRawBufferPointer, _ following: UnsafeRawBufferPointer
    ) -> Bool {
        let (there, here) = (directories[half.directory].watch, directories[id].watch)
        var offset = 0
        for _ in 0..<WatchLimits.eventsAhead {
            guard let event = InotifyEvent(in: following, at: &offset) else { return false }
            guard event.nameLength > 0, event.watch == here || event.watch == there,
                event.mask.rawValue & ~InotifyMask.contentChanges != 0
            else { continue }
            let named = event.name(in: following)
            return !event.mask.contains(.movedFrom) || event.watch != here || !named.elementsEqual(name)
        }
        return false
    }

    /// Whether the second half of a rename onto an entry is the first pair of an exchange: then the cookie of the second
    /// pair, which follows at once. `mv a b; mv b a` has the same four events. After that nothing is called b, so whatever
    /// is told of b next tells which it was: that it was made, or came, or something else; where nothing is told, a look.
    func exchange(
        _ half: RenameHalf, _ id: DirectoryID, _ name: UnsafeRawBufferPointer, _ source: FileStatus,
        _ following: UnsafeRawBufferPointer
    ) -> UInt32? {
        let (there, here) = (directories[half.directory].watch, directories[id].watch)
        var offset = 0
        var cookie: UInt32?
        var isPair = false
        for _ in 0..<WatchLimits.eventsAhead {
            guard let event = InotifyEvent(in: following, at: &offset) else { break }
            if event.nameLength == 0 { continue }
            let named = event.name(in: following)
            if cookie == nil {
                guard event.mask.contains(.movedFrom), event.watch == here, named.elementsEqual(name) else {
                    return nil
                }
                cookie = event.cookie
            } else if !isPair {
                guard event.mask.contains(.movedTo), event.cookie == cookie, event.watch == there,
                    named.elementsEqual(half.name)
                else { return nil }
                isPair = true
            } else if event.watch == here, named.elementsEqual(name) {
                return event.mask.isDisjoint(with: [.create, .movedTo]) ? cookie : nil
            }
        }
        guard isPair, let found = status(of: name, in: id), isSameFile(found.file, source) else { return nil }
        return cookie
    }
}
