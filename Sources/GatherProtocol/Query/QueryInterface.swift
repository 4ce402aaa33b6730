// io.gatherd.Query: its text, byte for byte as it is served.
// SPDX-License-Identifier: Apache-2.0

package import Varlink

/// `io.gatherd.Query`: its text, its methods and their messages.
package enum QueryInterface {
    /// The interface's name.
    package static let name = "io.gatherd.Query"

    /// The interface, parsed.
    package static let interface: VarlinkInterface = {
        do { return try VarlinkInterface(parsing: text) } catch { preconditionFailure("io.gatherd.Query: \(error)") }
    }()

    /// The interface's text.
    package static let text = """
        # Live metadata queries over watched containers.
        #
        # A query first gathers all items that match now. Then it stays live and reports each later change to
        # the result set.
        #
        # All strings are UTF-8. If a file name is not valid UTF-8, `name` and `path` have U+FFFD in its
        # place. `rawName` and `rawPath` then have the bytes as Base64, whenever `name` or `path` was
        # requested. So have `rawPreviousPath` and `rawConflictOf` beside `previousPath` and `conflictOf`.
        # Timestamps are RFC 3339 in UTC with nanoseconds. Clocks are opaque. Enumerated types may
        # get new values; a client treats an unknown one as "other".
        interface io.gatherd.Query

        type Kind (file, directory, package, symlink, fifo, socket, characterDevice, blockDevice)

        type Scope (documents, data)

        # One file-system entry below a container's own directory. `id` is always present and opaque. It stays
        # the same when the entry is renamed or moved inside its container, and across restarts of the daemon
        # and of the machine. An entry that is renamed over another takes the other's id, so a document that
        # is saved by a rename keeps its id and is reported as changed. No id is used twice. Each hard link
        # has an id of its own.
        #
        # The other fields are present if they were requested with `attributes` and have a value. `parent` is
        # the id of the item's directory; it is missing at the top, where `depth` is 1. `mode` has the
        # permission bits. `inode` and `device` are numbers of 64 bits without sign: one from 2^63 on is the
        # negative number with the same bits. `extended` has the extended attributes that were requested as `xattr.NAME`, by
        # NAME, if they are UTF-8. NAME stands for `user.NAME`; no other namespace is served. Extended
        # attributes, `tags`, `comment`, `rating` and `whereFrom` are present for callers who may read the
        # file. `target` is the text of a symbolic link.
        #
        # A package is a directory with an extension that its container names. Its `size` is the sum of all
        # regular files within, and its `modified` and `changed` are the newest within. A caller who may not
        # list all of that gets those of the directory. Entries inside are items only if the predicate names
        # `inPackage` or the call names a scope, path, id or parent there.
        #
        # A directory `.gather` has the trash of a container and its key-value store, and `.stversions` is Syncthing's
        # archive. Entries below them are items only if the call names a scope, id or parent there. The predicate
        # names them, too, if it compares `path` with a text that has such a name.
        #
        # A conflict version is a regular file with a name of the form
        # NAME.sync-conflict-YYYYMMDD-HHMMSS-DEVICE.EXT, whether or not NAME.EXT exists. One of such a version
        # belongs to the same NAME.EXT, and files below `.gather` and `.stversions` are none. Its `conflictOf` is
        # the path of NAME.EXT. `conflictDevice` is DEVICE: the one
        # whose version won. The author of this version is in `xattr.gather.device`. `conflictDate` is the
        # local time in the name, in the daemon's time zone. Other items lack these three. Every item has
        # `conflictVersions`, the number of its conflict versions in its directory, and
        # `hasUnresolvedConflicts`, which tells whether there are any. A package also has those inside, for
        # callers who may list all of that.
        #
        # In a container that is shared with other devices, an item has the fields from `isUbiquitous` on, while a
        # helper tells them (io.gatherd.Sync). `isUbiquitous` tells whether other devices get the item; it is
        # missing while that is unknown. `downloadingStatus` is notDownloaded, downloaded (an older version is
        # here) or current. `isUploaded` tells whether at least one other device has the present content, and
        # `uploadedTo` names these devices. Percentages are whole numbers from 0 to 100. `savingDevice` is the
        # device that changed the item last, where that was seen.
        type Item (
          id: string,
          parent: ?string,
          name: ?string,
          path: ?string,
          rawName: ?string,
          rawPath: ?string,
          # The former path of a changed item whose path changed, if `path` was requested.
          previousPath: ?string,
          rawPreviousPath: ?string,
          displayName: ?string,
          fileExtension: ?string,
          container: ?string,
          scope: ?Scope,
          kind: ?Kind,
          contentType: ?string,
          contentTypeTree: ?[]string,
          size: ?int,
          created: ?string,
          modified: ?string,
          changed: ?string,
          owner: ?string,
          ownerID: ?int,
          group: ?string,
          groupID: ?int,
          mode: ?int,
          inode: ?int,
          device: ?int,
          links: ?int,
          depth: ?int,
          hidden: ?bool,
          target: ?string,
          tags: ?[]string,
          comment: ?string,
          rating: ?int,
          whereFrom: ?string,
          extended: ?[string]string,
          inPackage: ?bool,
          isConflictVersion: ?bool,
          conflictOf: ?string,
          rawConflictOf: ?string,
          conflictDevice: ?string,
          conflictDate: ?string,
          hasUnresolvedConflicts: ?bool,
          conflictVersions: ?int,
          isUbiquitous: ?bool,
          downloadingStatus: ?string,
          isDownloading: ?bool,
          percentDownloaded: ?int,
          downloadingError: ?string,
          isUploaded: ?bool,
          isUploading: ?bool,
          percentUploaded: ?int,
          uploadedTo: ?[]string,
          uploadingError: ?string,
          savingDevice: ?string
        )

        type SortKey (attribute: string, ascending: bool)

        # How often one value occurs in a result set. The field that fits the attribute's type has the value.
        # All are missing for items without the attribute.
        type ValueCount (text: ?string, integer: ?int, number: ?float, flag: ?bool, count: int)

        # started: the query was accepted. progress: a batch of the first results, in `added`. gathered: the
        # first phase is over, and all containers in scope that can be exact are exact. updated: the result
        # set changed. alive: nothing changed for `heartbeat` milliseconds.
        type Event (started, progress, gathered, updated, alive)

        # An item that no longer matches or no longer exists, with its last path.
        type Removal (id: string, path: string, rawPath: ?string)

        # Returns the items that match now. With `more`, the answer comes in batches. Without `more`, an
        # answer larger than 8 MiB fails with LimitExceeded. An empty predicate matches everything.
        #
        # `scopes` lists container identifiers, identifiers followed by /Documents or /Data, or absolute
        # directories inside a container. A directory whose path is not UTF-8 is a URI (RFC 8089): `file://` and
        # the path, with `%XX` for each byte that may not stand there. A directory may be named by the
        # container's configured path or by the path to which its symbolic links lead. The default is all
        # containers that the caller may read. The default of `attributes` is name, path, kind, size and
        # modified.
        #
        # With `sync` (the default), the answer reflects every change that was made before the call. The call
        # then waits up to `timeout` milliseconds (default 10,000) for containers that are crawling or
        # verifying. Without `sync`, it returns what is known at once. `inexact` names the containers for
        # which the answer may be wrong: those that are degraded or unavailable, and without `sync` also those
        # that are not crawled yet.
        #
        # `timeZone` is the zone of dates without a zone, and of days, weeks, months and years: a name such as
        # Europe/Berlin, or another text of tzset(3). The default is the daemon's own zone. A name that is
        # unknown there fails with UnknownTimeZone if the predicate depends on the zone. Each method with a
        # predicate has it.
        method Find(
          predicate: string,
          scopes: ?[]string,
          attributes: ?[]string,
          sort: ?[]SortKey,
          limit: ?int,
          sync: ?bool,
          timeout: ?int,
          timeZone: ?string
        ) -> (items: []Item, inexact: ?[]string, clock: string)

        # Returns the number of items that match now.
        method Count(
          predicate: string,
          scopes: ?[]string,
          sync: ?bool,
          timeout: ?int,
          timeZone: ?string
        ) -> (count: int, inexact: ?[]string, clock: string)

        # Returns the distinct values of one attribute over the matching items. The most frequent come first,
        # and equally frequent ones in their order. Each value of a list counts by itself. Items without the
        # attribute count in an entry without a value. Too many distinct values fail with LimitExceeded.
        method Values(
          predicate: string,
          attribute: string,
          scopes: ?[]string,
          limit: ?int,
          sync: ?bool,
          timeout: ?int,
          timeZone: ?string
        ) -> (values: []ValueCount, inexact: ?[]string, clock: string)

        # Starts a live query; needs `more`. The replies are started, progress (none or more), gathered, then
        # one updated for each batch of changes, without end.
        #
        # An item is in `changed` if it matched before, matches now, and itself changed. A change is a new
        # name, directory, attribute of the file, or requested attribute of its place (path, depth, scope).
        # Attributes of the file count even if they were not requested, since the content may have changed.
        #
        # Changes are held for at most `batch` milliseconds (default 0) and merged. An item that came and went
        # meanwhile is not reported. An item that changed twice is reported once. A slow reader loses nothing,
        # since its pending changes are merged in the same way. If too many are pending, the query ends with
        # LimitExceeded, and a new query with the last clock as `since` gets the difference.
        #
        # `since` is a clock of an earlier reply to the same caller. A clock serves every predicate, scope and
        # list of attributes. Then progress replies have only the difference between the result set of that
        # clock and now, even after a restart of the daemon. If the difference is not known, `fresh` is true
        # in the started reply and everything is gathered again. The reason may be that a container was added
        # or removed since, or that more has changed than is kept. It may also be that the caller's groups or
        # access changed, or that extended attributes were not read yet at the clock.
        #
        # A reply has `clock` only if everything up to that clock was sent. `count` is the size of the result
        # set, and `inexact` names the containers for which it may be wrong, in gathered and updated. A
        # container that becomes unavailable or is removed takes its items out of the result set, and the query
        # goes on. With `heartbeat`, an alive reply comes after that many
        # milliseconds without another reply. The query keeps its `timeZone`. To end the query, close the
        # connection.
        method Watch(
          predicate: string,
          scopes: ?[]string,
          attributes: ?[]string,
          since: ?string,
          batch: ?int,
          heartbeat: ?int,
          timeZone: ?string
        ) -> (
          event: Event,
          fresh: ?bool,
          added: ?[]Item,
          changed: ?[]Item,
          removed: ?[]Removal,
          count: ?int,
          inexact: ?[]string,
          clock: ?string
        )

        # Returns when all changes made before the call were sent to the caller's live queries, or merged into
        # their pending changes.
        method Flush() -> (clock: string)

        # One step of a plan, the number of items that were left after it, and its time.
        type Step (step: string, rows: int, microseconds: int)

        # Returns the canonical text of a predicate, the attributes that it reads, and the plan. With
        # `analyze`, the predicate is evaluated once, as Count does over `scopes`. `steps` then has each step:
        # the first has the number of all items, the last the number of matches.
        method Explain(predicate: string, scopes: ?[]string, analyze: ?bool, timeZone: ?string) -> (
          canonical: string,
          attributes: []string,
          plan: string,
          steps: ?[]Step
        )

        type Attribute (name: string, type: string, aliases: []string, description: string)

        # Returns the attributes that predicates and `attributes` may name.
        method Attributes() -> (attributes: []Attribute)

        # The predicate cannot be parsed, names an unknown attribute, or uses one against its type. `position`
        # counts bytes from its start.
        error InvalidPredicate (message: string, position: int)

        # `attributes`, `sort` or `attribute` has a name that does not exist.
        error UnknownAttribute (attribute: string)

        # A scope is neither a container nor a directory inside one. If it is a directory, `containers` has the
        # identifiers of some that lie below it and that the caller may list; null if there are none.
        error UnknownScope (scope: string, containers: ?[]string)

        # The predicate has local times, and the daemon does not know the zone `timeZone`.
        error UnknownTimeZone (timeZone: string)

        # The predicate failed during its evaluation, for example because a regular expression exceeded its
        # limit.
        error EvaluationFailed (message: string)

        # The call reached a limit: its name and its value.
        error LimitExceeded (limit: string, value: int)

        # The containers were not exact within `timeout`.
        error SyncTimeout (containers: []string)

        """
}
