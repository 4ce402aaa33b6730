// The churn where directories are closed to the daemon: changes without an event.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import IdentityModel

// A directory that may not be read when it is found has no watch, so no event tells when its times and its links
// change; nor when a file is changed by a name in an inaccessible directory, if it has another name that can be seen. A name
// that came from there into sight, and is gone before it was looked at, is gone from a directory that had no watch yet. When it
// is quiet they are touched, and so told of (``FreshLinks``).
extension Churner {
    func changeMode(_ place: Place, _ mode: Int) {
        // Without its own directory there is no container, so that is not closed often, nor for long.
        if closes, place.isRoot, !closesRoots { return }
        willChange(place)
        // Permissions bind an ordinary user, and the churn has to be able to change all that it made. The modes that close
        // directories need root.
        let mode = geteuid() != 0 && Files.isDirectory(path(place)) ? mode | 0o700 : mode
        guard Files.changeMode(path(place), mode_t(mode)) else { return }
        note("chmod \(String(mode, radix: 8))", place)
        guard closes, Files.isDirectory(path(place)) else { return }
        let isInaccessible = mode & 0o500 != 0o500
        model?.setInaccessible(place, isInaccessible)
        if isInaccessible { willChangeLinks(below: path(place)) { links.lost($0) } }
    }

    /// Entries are about to come, to go, or to be others.
    func willChangeNames(_ places: Place...) {
        guard closes, let model else { return }
        model.willChange(places)
        let isUntold = places.contains { model.isHidden($0) }
        for place in places where !place.isRoot {
            if isUntold { willChangeUntold(path(place)) }
            if model.node(place.parent)?.isInaccessible == true, let status = Files.status(path(place.parent)) {
                links.untold(UInt64(status.st_ino))
            }
        }
    }

    /// The entry there is about to change.
    func willChange(_ place: Place) {
        if closes, model?.isHidden(place) == true { willChangeUntold(path(place)) }
    }

    /// Names are about to be gone from all containers, where an entry is there.
    func willLoseNames(_ places: Place...) {
        guard closes, let model else { return }
        for place in places where model.isUnseen(place) { willChangeUntold(path(place)) }
    }

    private func willChangeUntold(_ path: Bytes) {
        guard let status = Files.status(path) else { return }
        if status.st_mode & S_IFMT != S_IFDIR, status.st_nlink > 1 { links.untold(UInt64(status.st_ino)) }
    }

    /// Entries of a directory are about to be removed, or to be closed before anybody may have looked at them.
    func willChangeLinks(below directory: Bytes, _ change: (UInt64) -> Void) {
        for name in Files.names(in: directory) {
            guard let status = Files.status(directory.entry(name)) else { continue }
            if status.st_mode & S_IFMT == S_IFDIR {
                willChangeLinks(below: directory.entry(name), change)
            } else if status.st_nlink > 1 {
                change(UInt64(status.st_ino))
            }
        }
    }
}
