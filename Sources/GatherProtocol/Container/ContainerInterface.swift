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

        # crawling: being read for the first time; verifying: known from before and being compared; live:
        # exact, every change is seen as it happens; degraded: part of the tree is polled, because a limit
        # was reached or its file system reports no changes; unavailable: the directory is missing or
        # unreadable.
        type State (crawling, verifying, live, degraded, unavailable)

        # `origin` says where the container comes from: a configuration file's path, "runtime" for one that
        # was added over the socket, or "argument". `items` counts all entries: those inside packages too,
        # which a query finds only where it asks for them. `filled` names the attributes that take system calls of
        # their own for each item and are known here, since a query has asked for one of them (`xattr.*` for
        # all extended attributes); `filledBytes` is the memory that they take. `outstanding` is how many directories
        # are still to be read, while some are.
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
          outstanding: ?int
        )

        # The containers that the caller may read.
        method List() -> (containers: []Container)
        method Get(identifier: string) -> (container: Container)

        # Watch another directory from now on, kept across restarts. Only root and the user that the daemon
        # runs as may call this, Remove and Rescan.
        method Add(
          identifier: string,
          path: string,
          packages: ?[]string,
          ignore: ?[]string
        ) -> (container: Container)

        # Only what was added at run time; a container that a file defines is refused, naming the file.
        method Remove(identifier: string) -> ()

        # Compare the whole tree with the index again; the differences reach live queries as updates.
        method Rescan(identifier: string) -> (added: int, changed: int, removed: int)

        # With `more`: one reply now, then one for each change of state.
        method Monitor() -> (containers: []Container)

        error NoSuchContainer (identifier: string)
        error ContainerExists (identifier: string)
        error InvalidContainer (identifier: string, message: string)

        """
}
