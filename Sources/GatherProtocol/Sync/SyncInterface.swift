// io.gatherd.Sync: its text, byte for byte as it is served.
// SPDX-License-Identifier: Apache-2.0

package import Varlink

/// `io.gatherd.Sync`: its text, its methods and their messages.
package enum SyncInterface {
    /// The interface's name.
    package static let name = "io.gatherd.Sync"

    /// The interface, parsed.
    package static let interface: VarlinkInterface = {
        do { return try VarlinkInterface(parsing: text) } catch {
            preconditionFailure("io.gatherd.Sync: \(error)")
        }
    }()

    /// The interface's text.
    package static let text = """
        # The state of shared containers, as a helper such as gather-syncd tells it. gatherd itself uses no network. Only root,
        # the user of the daemon and the user in `sync-user` of its configuration may call these methods.
        interface io.gatherd.Sync

        # How much of an item is here: nothing, an older version, or the newest that is known.
        type Download (notDownloaded, downloaded, current)

        # The state of an item. Without `shared` false, other devices get it. `uploadedTo` names the devices that have its
        # present content. `savingDevice` names the device that changed it last. Percentages are from 0 to 100, and missing
        # while nothing is transferred.
        type State (
          shared: ?bool,
          download: ?Download,
          downloading: ?bool,
          percentDownloaded: ?int,
          downloadingError: ?string,
          uploading: ?bool,
          percentUploaded: ?int,
          uploadedTo: ?[]string,
          uploadingError: ?string,
          savingDevice: ?string
        )

        # An item by its path below the container's directory. Without a state it has the one of all items. An item with
        # `size` whose `download` is notDownloaded becomes an item although no file is here, in a directory that is here.
        # `modified` is in nanoseconds since 1970. Without a state, such an item is gone. With `leaving`, the file here is about
        # to be removed: the item stays then, as notDownloaded. Items that are not here are told again in each session: the
        # first report with a clock ends those that were not told.
        type Item (path: string, state: ?State, size: ?int, modified: ?int, leaving: ?bool)

        # Begins to tell the state of a container, which has to be shared (`sync`). Wants `more`. Replies once, when the
        # container is exact, and then lasts until the connection ends: the states are unknown from then on. From this reply on,
        # gatherd notes which items change. An earlier Attach for the same container ends with Superseded.
        # `clock` is the one of the container at that moment.
        method Attach(container: string) -> (session: int, clock: string)

        # Tells states. `base` becomes the state of all items that have none of their own. An item that changed has no device
        # that has it (`uploadedTo` is empty), whatever was told, until a report with a clock `through` that is not before the
        # change. Items of this report keep their state then; the others that had changed get the base state.
        # States of paths at which there is no item are ignored. `changed` counts the items of the report whose state, size or
        # date it changed, without those that have changed since.
        method Report(session: int, base: ?State, items: ?[]Item, through: ?string) -> (changed: ?int)

        # Tells the states as gatherd has them, so that a helper can compare them with its own and report those that differ.
        # `base` is the state of all items that have none of their own. `items` are those that have one, in parts: the next call
        # names `next` as `from`, and the last part has no `next`. An item that is not here has its `size` and `modified`. Left
        # out are items that changed and that no report has covered yet, and items that no other device can get.
        method States(session: int, from: ?int) -> (base: State, items: []Item, next: ?int)

        error NoSuchContainer (identifier: string)
        error NotShared (identifier: string)
        error NoSuchSession (session: int)
        error Superseded (identifier: string)

        """
}
