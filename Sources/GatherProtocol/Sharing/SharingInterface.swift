// io.gatherd.Sharing: its text, byte for byte as it is served.
// SPDX-License-Identifier: Apache-2.0

package import Varlink

/// `io.gatherd.Sharing`: its text, its methods and their messages.
package enum SharingInterface {
    /// The interface's name.
    package static let name = "io.gatherd.Sharing"

    /// The interface, parsed.
    package static let interface: VarlinkInterface = {
        do { return try VarlinkInterface(parsing: text) } catch {
            preconditionFailure("io.gatherd.Sharing: \(error)")
        }
    }()

    /// The interface's text.
    package static let text = """
        # Sharing containers with other devices, as gather-syncd serves it. Only root and the user of the program may change
        # anything.
        interface io.gatherd.Sharing

        # A device. `connected` is whether it is now. `lastSeen` is a time of RFC 3339. Rates are in bytes a second.
        # `asks` is true for one that wants to connect and is not known yet.
        type Device (
          identifier: string,
          name: string,
          here: bool,
          connected: bool,
          paused: ?bool,
          asks: ?bool,
          address: ?string,
          version: ?string,
          lastSeen: ?string,
          receiving: ?int,
          sending: ?int
        )

        # How much of a folder a device has. `missing` counts items, and `missingBytes` their bytes.
        type FolderShare (device: string, completion: float, missing: int, missingBytes: int)

        # A folder of Syncthing inside a shared container. `state` is Syncthing's word: idle, scanning, syncing, error and others.
        # `missing` and `missingBytes` count items of others that are not here yet.
        type Folder (
          identifier: string,
          container: string,
          path: string,
          state: string,
          error: ?string,
          paused: ?bool,
          items: int,
          bytes: int,
          missing: int,
          missingBytes: int,
          shares: []FolderShare
        )

        # A folder that a device offers, which is not accepted yet. `container` is what it is called there.
        type Offer (device: string, folder: string, container: string)

        # A mistake in the settings of Syncthing. `kind` is one word for programs: notRunning, oldVersion, noFolder, otherPath,
        # ignored, maxConflicts, caseSensitive, ownWatcher, clock, marker, folderError, itemErrors, paused, tls, conflict,
        # notWritable, stranger.
        # `remedy` is a command or a sentence.
        type Finding (kind: string, container: ?string, device: ?string, message: string, remedy: ?string)

        # Status and Check leave out the containers that gatherd does not list to the caller, and the offers of their names.
        # `running` is whether Syncthing answers. `reason` says why it does not.
        # `corrections` counts the differences between Syncthing, this program and gatherd that it has found and set right.
        # With `more`, replies again after changes, at most once a second.
        method Status() -> (
          running: bool,
          reason: ?string,
          version: ?string,
          devices: []Device,
          folders: []Folder,
          offers: []Offer,
          corrections: ?int
        )

        # Compares Syncthing's settings with those that Gather needs.
        method Check() -> (findings: []Finding)

        # Shares a container, also with more devices. Folders are made where there are none.
        # gatherd has to know the container as shared already.
        method Share(container: string, devices: []string) -> (folders: []Folder)

        # Shares a container no longer: with these devices, or with none (the folders are removed from Syncthing's settings;
        # no file is).
        method Unshare(container: string, devices: ?[]string) -> ()

        # Adds a device that may connect, with a name of its own if given, and addresses instead of `dynamic`.
        method AddDevice(device: string, name: ?string, addresses: ?[]string) -> ()
        method RemoveDevice(device: string) -> ()

        # Frees the copies here of items, by absolute path, once another device is known to have their present versions.
        # With `more`, replies for each item.
        method Evict(paths: []string) -> (path: string, bytes: int)

        # Brings evicted items back. With `more`, replies as it goes on: `done` of `total` bytes. Ends when all are here.
        method Download(paths: []string) -> (path: string, done: int, total: int)

        error NotRunning (reason: string)
        error NoSuchContainer (identifier: string)
        error NotShared (identifier: string)
        error NoSuchDevice (device: string)
        error InvalidDevice (device: string)
        error NotUploaded (path: string, reason: string)
        error NoSuchItem (path: string)
        error Failed (message: string)

        """
}
