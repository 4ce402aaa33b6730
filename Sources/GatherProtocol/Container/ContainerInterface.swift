// io.gatherd.Container: its text, byte for byte as it is served.
// SPDX-License-Identifier: Apache-2.0

package import Varlink

/// `io.gatherd.Container`: its text, its methods and their messages.
package enum ContainerInterface {
    /// The interface's name.
    package static let name = "io.gatherd.Container"

    /// The interface, parsed.
    package static let interface: VarlinkInterface = {
        do { return try VarlinkInterface(parsing: text) } catch {
            preconditionFailure("io.gatherd.Container: \(error)")
        }
    }()

    /// The interface's text.
    package static let text = """
        # The watched directory trees.
        interface io.gatherd.Container

        # crawling: the tree is read for the first time. verifying: the saved index is compared with the tree.
        # live: exact, each change is seen as it happens. degraded: part of the tree is polled or does not
        # answer, because a limit was reached, its file system reports no changes, or a mount is silent.
        # unavailable: the directory is missing or unreadable, or another one is at the path (Accept). A `reason` has the details.
        type State (crawling, verifying, live, degraded, unavailable)

        # `origin` is the path of a configuration file, "runtime" for a container that was added over the
        # socket, or "argument". `items` counts all entries. Entries inside packages count too, although most
        # queries do not find them. `filled` names the attributes that cost system calls for each item and are
        # known here, since a query requested one of them (`xattr.*` for all extended attributes).
        # `filledBytes` is their memory. `outstanding` is the number of directories that are still to be read,
        # if any. `unreadablePaths` names a few of the `unreadable` directories to a caller that sees every
        # item of the container. `sync` is "syncthing" for a container that Syncthing shares with other devices.
        # `overLimit` is the number of `polled` directories that would be watched if there were more inotify
        # watches, if any. `since` is the time since when an unavailable container is so, at the earliest the
        # start of the daemon. `mark` is the mark by which the container is known (.gather/container), if it has one: also while another
        # directory is at the path. `markedDirectory` has device, inode number and birth time (in nanoseconds) of the directory with the
        # mark, if these tell it from every other one.
        type Container (
          identifier: string,
          path: string,
          state: State,
          reason: ?string,
          origin: string,
          items: int,
          directories: int,
          watches: int,
          polled: int,
          unreadable: int,
          packages: []string,
          ignore: []string,
          clock: string,
          filled: ?[]string,
          filledBytes: ?int,
          outstanding: ?int,
          unreadablePaths: ?[]string,
          sync: ?string,
          overLimit: ?int,
          since: ?string,
          mark: ?string,
          markedDirectory: ?string
        )

        # Returns the containers that the caller may read.
        method List() -> (containers: []Container)
        method Get(identifier: string) -> (container: Container)

        # Watches another directory from now on, and after restarts too. Only root and the user of the daemon
        # may call Add, Remove, Rescan and Accept.
        method Add(
          identifier: string,
          path: string,
          packages: ?[]string,
          ignore: ?[]string,
          sync: ?string
        ) -> (container: Container)

        # Shares a container that was added at run time (`sync` is "syncthing"), or shares it no longer. The container is
        # read anew. Only root and the user of the daemon may call it.
        method Share(identifier: string, sync: ?string) -> (container: Container)

        # Removes a container that was added at run time. A container that a file configures is refused, and
        # the error names the file.
        method Remove(identifier: string) -> ()

        # Compares the whole tree with the index again. Live queries get the differences as updates. A container whose
        # directory cannot be read is looked for again; if it is still unavailable, that is an error.
        method Rescan(identifier: string) -> (added: int, changed: int, removed: int)

        # Takes the directory at a container's path for the container, although it is another one than before: another disk, an empty
        # directory or a copy. Its mark (.gather/container) counts from now on. If the container is available, nothing changes. If
        # there is no directory, that is an error.
        method Accept(identifier: string) -> (container: Container)

        # Returns the identifiers of the containers that List returns to a caller with these credentials. Only root, the user of
        # the daemon and the user of gather-syncd may call it: gather-syncd hides what the daemon hides from its callers.
        method ReadableBy(user: int, group: int, groups: []int) -> (identifiers: []string)

        # With `more`, replies at once and then after each change of a state.
        method Monitor() -> (containers: []Container)

        error NoSuchContainer (identifier: string)
        error ContainerExists (identifier: string)
        error InvalidContainer (identifier: string, message: string)
        # The message is the reason of the state `unavailable`.
        error ContainerUnavailable (identifier: string, message: string)

        """
}
