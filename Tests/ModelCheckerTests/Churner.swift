// Random changes to a tree, one at a time, each told to the model where there is one.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import IdentityModel
import TestSupport

/// One thread's churn. With a model the area is its own and what is there is known; without, several share the area, meet
/// each other, and most changes hit or miss by chance.
final class Churner {
    private static let operations = ChurnOperation.allCases.flatMap { Array(repeating: $0, count: $0.weight) }
    private static let directoryNames = ["d0", "d1", "d2", "d3", "Ordner ü"].map { Bytes($0) }
    private static let fileNames: [Bytes] =
        (0..<5).map { Bytes("Item_\($0)") } + (0..<6).map { Bytes("f\($0)") }
        + ["ITEM_X", "\u{CD}tem_y", "a.txt", "b.txt", "c.txt", ".hidden", "new\nline", " "].map { Bytes($0) }
        + [[0xFF, 0x78], Bytes(repeating: 0x4C, count: 255)]
    private static let deepest = 7
    /// Values of the extended attribute; nil removes it. One is no text.
    private static let values: [Bytes?] =
        ["x", "x", "x2", "x \u{FC}", "y", ""].map { Bytes($0) } + [[0x78, 0xFF], nil, nil]
    /// In nanoseconds: how soon those leave for whom that is made.
    static let soon = TimeOfDay.second / 2

    private let number: Int
    private let directoryNames: [Bytes]
    let model: Model?
    private var roots: [Root]
    private let trace: Trace
    let links: FreshLinks
    /// Whether directories are closed to the daemon.
    let closes: Bool
    /// Whether some directories are not watched but polled.
    private let isPolled: Bool
    /// Whether those of the containers are among them.
    var closesRoots = false
    /// How many changes were made.
    private(set) var changes = 0

    init(
        number: Int, roots: [Root], model: Model?, trace: Trace, links: FreshLinks, packages: [String] = [],
        closes: Bool = false, isPolled: Bool = false
    ) {
        self.number = number
        // Half of them with extensions that make packages, where there are any.
        directoryNames =
            packages.isEmpty ? Churner.directoryNames : ["d0", "d1", "d2", "p.gro", "q.GRO", ".gro"].map { Bytes($0) }
        self.roots = roots
        self.model = model
        self.trace = trace
        self.links = links
        self.closes = closes
        self.isPolled = isPolled
    }

    /// Entries below a root are in a container from now on.
    func adopt(_ root: Int, by container: String) {
        roots[root].container = container
        model?.adopted(root, by: container)
    }

    /// Makes one change; one that cannot be made is none.
    func step(_ random: inout SeededGenerator) {
        let inside = roots.indices.filter { roots[$0].container != nil }
        let outside = roots.indices.filter { roots[$0].container == nil }
        if closes, random.chance(1, in: 5) {
            let place = directory(inside, &random)
            let isInaccessibleRoot = place.isRoot && model?.node(place)?.isInaccessible == true
            if place.isRoot, !isInaccessibleRoot, !random.chance(1, in: 6) { return }
            return changeMode(
                place,
                isInaccessibleRoot ? 0o755 : random.one(of: [0o000, 0o300, 0o400, 0o644, 0o700, 0o755, 0o755, 0o755]))
        }
        let operation = random.one(of: Churner.operations)
        switch operation {
        case .append: append(newFile(inside, &random), Int.random(in: 0...300, using: &random))
        case .truncate:
            let (place, size) = (entry(inside, &random), Int.random(in: 0...200, using: &random))
            willChange(place)
            if Files.truncate(path(place), size) { note("truncate \(size)", place) }
        case .unlink: unlink(entry(inside, &random))
        case .makeDirectory: makeDirectory(newDirectory(inside, &random))
        case .renameFile: rename(entry(inside, &random), newFile(inside, &random))
        case .renameDirectory: rename(directory(inside, &random), newDirectory(inside, &random))
        case .renameOver: rename(entry(inside, &random), entry(inside, &random))
        case .moveOut: rename(entry(inside, &random), newEntry(outside, &random))
        case .moveIn: rename(entry(outside, &random), newEntry(inside, &random))
        case .exchange: exchange(entry(inside, &random), entry(random.chance(1, in: 6) ? outside : inside, &random))
        case .removeTree:
            let place = directory(inside, &random)
            guard !place.isRoot else { return }
            note("rm -r", place)
            willChangeNames(place)
            if closes { willChangeLinks(below: path(place)) { links.untold($0) } }
            links.lost(nil)
            Files.removeTree(path(place))
            if Files.status(path(place)) == nil { model?.removed(place) }
        case .symlink: symlink(newEntry(inside, &random), random.one(of: ["nowhere", "f1", "../d1", "."]))
        // Never to a name outside: the kernel has no event in the container for that.
        case .link: link(entry(inside, &random), newFile(inside, &random))
        case .fill: fill(newDirectory(random.chance(1, in: 5) ? outside : inside, &random), &random)
        case .mode:
            changeMode(entry(inside, &random), random.one(of: [0o000, 0o600, 0o644, 0o755, 0o4700]))
        case .tag: tag(entry(inside, &random), random.one(of: ["red", "red,blue", "blue", "dark red", ""]))
        case .attribute:
            let place = entry(inside, &random)
            set(random.one(of: Churner.values), of: place)
        case .modified:
            let place = entry(inside, &random)
            let time = time(&random)
            willChange(place)
            if Files.setModified(
                path(place), seconds: time / TimeOfDay.second, nanoseconds: time % TimeOfDay.second)
            {
                note("utimensat \(time)", place)
            }
        case .save:
            let target = entry(inside, &random)
            guard !target.isRoot else { return }
            let beside = target.parent.entry(Bytes(".saved-\(number)"))
            append(beside, Int.random(in: 0...300, using: &random))
            rename(beside, target)
        case .saveWithBackup:
            let target = entry(inside, &random)
            guard !target.isRoot else { return }
            rename(target, target.parent.entry(Bytes("backup~")))
            append(target, Int.random(in: 0...300, using: &random))
        case .swapForLink:
            let place = directory(inside, &random)
            guard !place.isRoot else { return }
            let real = place.parent.entry(Bytes("real-\(number)"))
            rename(place, real)
            symlink(place, "real-\(number)")
        case .swapBack:
            let place = newDirectory(inside, &random)
            if model.map({ $0.node(place)?.isDirectory == false }) ?? true { unlink(place) }
            rename(place.parent.entry(Bytes("real-\(number)")), place)
        case .fifo:
            let place = newFile(inside, &random)
            willChangeNames(place)
            if Files.makeFifo(path(place)) {
                note("mkfifo", place)
                model?.created(place, isDirectory: false)
            }
        case .replace:
            let place = entry(inside, &random)
            unlink(place)
            append(place, Int.random(in: 0...300, using: &random))
        }
    }

    /// Makes directories with files, as many as are wanted, for a crawl to read.
    func populate(files: Int, below top: Place = Place(root: 0, names: [Bytes("bulk")])) {
        let perDirectory = 50
        makeDirectory(top)
        for number in 0..<(files + perDirectory - 1) / perDirectory {
            let place = top.entry(Bytes("part\(number % 10)")).entry(Bytes("part\(number)"))
            makeDirectory(place.parent)
            makeDirectory(place)
            for file in 0..<perDirectory { append(place.entry(Bytes("Item_\(file).txt")), file * 4) }
        }
    }

    /// Makes such a tree outside and moves it in at once.
    func bringIn(_ name: Bytes, files: Int) {
        guard let outside = roots.firstIndex(where: { $0.container == nil }) else { return }
        populate(files: files, below: Place(root: outside, names: [name]))
        rename(Place(root: outside, names: [name]), Place(root: 0, names: [name]))
    }

    // MARK: Changes

    private func append(_ place: Place, _ count: Int) {
        guard !place.isRoot else { return }
        let path = path(place)
        willChangeNames(place)
        if Files.create(count, at: path) {
            note("create \(count)", place)
            model?.created(place, isDirectory: false)
        } else if !isNeverReported(place), Files.append(count, to: path) {
            note("append \(count)", place)
        }
    }

    private func unlink(_ place: Place) {
        let path = path(place)
        guard !place.isRoot, let status = Files.status(path) else { return }
        willChangeNames(place)
        willLoseNames(place)
        guard Files.remove(path) || Files.removeDirectory(path) else { return }
        note("remove", place)
        links.lost(UInt64(status.st_ino))
        model?.removed(place)
    }

    private func makeDirectory(_ place: Place) {
        willChangeNames(place)
        guard !place.isRoot, Files.makeDirectory(path(place)) else { return }
        note("mkdir", place)
        model?.created(place, isDirectory: true)
    }

    private func rename(_ old: Place, _ new: Place) {
        guard !old.isRoot, !new.isRoot, old != new, !isNeverReported(new) else { return }
        let (source, target) = (Files.status(path(old)), Files.status(path(new)))
        willChangeNames(old, new)
        willLoseNames(new)
        if roots[new.root].container == nil { willLoseNames(old) }
        guard Files.rename(path(old), path(new)) else { return }
        // Between two names of one file a rename does nothing (rename(2)).
        let didNothing = model != nil && Files.status(path(old)) != nil
        note(didNothing ? "rename of a link over another" : "rename", old, new)
        if didNothing { return }
        model?.willRename(old, new)
        model?.renamed(old, new)
        if let target { links.lost(UInt64(target.st_ino)) }
        if let source { moved(old, new, source) }
    }

    /// An entry that leaves its container has lost a name there. In the new container it has a name that was never seen, and
    /// so it has if it moves into a polled directory.
    private func moved(_ old: Place, _ new: Place, _ status: stat) {
        let leaves = roots[old.root].container != roots[new.root].container
        if leaves { links.lost(status.st_mode & S_IFMT == S_IFDIR ? nil : UInt64(status.st_ino)) }
        if leaves || isPolled { arrived(path(new)) }
    }

    private func arrived(_ path: Bytes) {
        guard let status = Files.status(path) else { return }
        if status.st_mode & S_IFMT == S_IFDIR {
            for name in Files.names(in: path) { arrived(path.entry(name)) }
        } else if status.st_nlink > 1 {
            links.made(UInt64(status.st_ino))
        }
    }

    private func exchange(_ one: Place, _ other: Place) {
        guard !one.isRoot, !other.isRoot, one != other else { return }
        let (first, second) = (Files.status(path(one)), Files.status(path(other)))
        // Between two names of one file an exchange does nothing either, and the kernel reports none.
        if let first, let second, first.st_ino == second.st_ino { return }
        willChangeNames(one, other)
        if roots[one.root].container == nil { willLoseNames(other) }
        if roots[other.root].container == nil { willLoseNames(one) }
        guard Files.exchange(path(one), path(other)) else { return }
        note("exchange", one, other)
        if let first { moved(one, other, first) }
        if let second { moved(other, one, second) }
        model?.willExchange(one, other)
        let haveSeveralLinks = [first, second].contains { status in
            status.map { $0.st_nlink > 1 && $0.st_mode & S_IFMT != S_IFDIR } ?? false
        }
        model?.exchanged(one, other, haveSeveralLinks: haveSeveralLinks)
    }

    private func symlink(_ place: Place, _ target: String) {
        willChangeNames(place)
        guard !place.isRoot, Files.makeSymlink(Bytes(target), path(place)) else { return }
        note("symlink \(target)", place)
        model?.created(place, isDirectory: false)
    }

    private func link(_ old: Place, _ new: Place) {
        willChangeNames(old, new)
        guard !old.isRoot, !new.isRoot, Files.makeLink(path(old), path(new)) else { return }
        note("link", old, new)
        if let status = Files.status(path(new)) { links.made(UInt64(status.st_ino)) }
        if closes, model?.isHidden(new) == true { links.lost(Files.status(path(new)).map { UInt64($0.st_ino) }) }
        model?.linked(new)
    }

    private func tag(_ place: Place, _ tags: String) {
        guard !place.isRoot else { return }
        willChange(place)
        let done =
            tags.isEmpty
            ? Files.removeAttribute("user.xdg.tags", of: path(place))
            : Files.setAttribute("user.xdg.tags", of: path(place), to: Bytes(tags))
        if done { note("tag '\(tags)'", place) }
    }

    private func set(_ value: Bytes?, of place: Place) {
        willChange(place)
        let attribute = "user." + Entry.churned
        let done =
            value.map { Files.setAttribute(attribute, of: path(place), to: $0) }
            ?? Files.removeAttribute(attribute, of: path(place))
        if done { note("setxattr \(value?.shown ?? "removed")", place) }
    }

    /// A time for an entry: any, or one with which it is as old as it may be for those who ask for what is recent, in a moment.
    private func time(_ random: inout SeededGenerator) -> Int {
        if random.chance(1, in: 3) { return Int.random(in: 0..<2_000_000_000 * TimeOfDay.second, using: &random) }
        return TimeOfDay.now - Question.recent * TimeOfDay.second + Int.random(in: 0..<Churner.soon, using: &random)
    }

    /// `mkdir -p`, and files in each of the directories at once.
    private func fill(_ place: Place, _ random: inout SeededGenerator) {
        var place = place
        for _ in 0..<Int.random(in: 1...3, using: &random) where place.names.count < Churner.deepest {
            makeDirectory(place)
            // The entry there may be a symbolic link to a directory: files made in that have another path.
            guard Files.isDirectory(path(place)) else { return }
            for _ in 0..<Int.random(in: 0...6, using: &random) {
                append(place.entry(random.one(of: Churner.fileNames)), Int.random(in: 0...200, using: &random))
            }
            place = place.entry(random.one(of: directoryNames))
        }
    }

    // MARK: Places

    func path(_ place: Place) -> Bytes { place.names.reduce(roots[place.root].path) { $0.entry($1) } }

    /// A directory below one of these roots, or the root.
    private func directory(_ among: [Int], _ random: inout SeededGenerator) -> Place {
        var place = Place(root: random.one(of: among), names: [])
        if let model {
            while place.names.count < Churner.deepest, random.chance(3, in: 5) {
                guard let node = model.node(place) else { break }
                let below = node.order.filter { node.children[$0]?.isDirectory == true }
                guard !below.isEmpty else { break }
                place = place.entry(random.one(of: below))
            }
        } else {
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                place = place.entry(random.one(of: directoryNames))
            }
        }
        return place
    }

    /// An entry that is there, where that is known; a root where there is none.
    private func entry(_ among: [Int], _ random: inout SeededGenerator) -> Place {
        guard let model else { return newEntry(among, &random) }
        let directory = directory(among, &random)
        guard let node = model.node(directory), !node.order.isEmpty else { return directory }
        return directory.entry(random.one(of: node.order))
    }

    private func newFile(_ among: [Int], _ random: inout SeededGenerator) -> Place {
        directory(among, &random).entry(random.one(of: Churner.fileNames))
    }

    private func newDirectory(_ among: [Int], _ random: inout SeededGenerator) -> Place {
        directory(among, &random).entry(random.one(of: directoryNames))
    }

    private func newEntry(_ among: [Int], _ random: inout SeededGenerator) -> Place {
        random.chance(1, in: 3) ? newDirectory(among, &random) : newFile(among, &random)
    }

    /// Whether a change of this entry would be one through a hard link outside the tree, for which the kernel has no event.
    private func isNeverReported(_ place: Place) -> Bool {
        guard roots[place.root].container == nil, let status = Files.status(path(place)) else { return false }
        return status.st_mode & S_IFMT != S_IFDIR && status.st_nlink > 1
    }

    func note(_ operation: String, _ places: Place...) {
        changes += 1
        trace.note("\(number): \(operation) \(places.map { path($0).shown }.joined(separator: " -> "))")
    }
}
