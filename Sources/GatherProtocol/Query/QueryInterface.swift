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
        # A query has two phases, as in Spotlight: it first gathers every item that matches now, then stays
        # live and reports each later change to the result set. All strings are UTF-8. A file name that is
        # not valid UTF-8 is carried with U+FFFD replacements in `name` and `path`, and whole, as Base64,
        # in `rawName` and `rawPath`, which are then present whenever `name` or `path` was asked for.
        # Timestamps are RFC 3339 in UTC with nanoseconds. Clocks are opaque. Values of enumerated types
        # may be added; a client takes one that it does not know for "other".
        interface io.gatherd.Query

        type Kind (file, directory, package, symlink, fifo, socket, characterDevice, blockDevice)

        type Scope (documents, data)

        # One file-system entry; a container's own directory is not one. `id` is always present. It is
        # opaque and stays with the entry when that is renamed or moved inside its container, and across
        # restarts of the daemon and of the machine. An entry that is renamed over another takes over the
        # other's id, so a document that is saved by writing beside it and renaming keeps its id and is
        # reported as changed. No id is given twice; hard links have one each. Of the other fields only
        # those asked for with `attributes` are present, and of those only the ones that have a value:
        # `parent` is the id of the item's directory and missing at the top, where `depth` is 1; `mode` has
        # the permission bits; `extended` holds the extended attributes asked for as `xattr.NAME`, under
        # NAME, where they are UTF-8. NAME stands for `user.NAME`; no other namespace is served. Extended
        # attributes, `tags`, `comment`, `rating` and `whereFrom` among them, are there for callers who may
        # read the file. `target` is where a symbolic link leads. A package, a directory with an extension that
        # its container names, has as `size` that of all regular files within and as `modified` and `changed`
        # the newest of itself and all within, for who may list all of that; what lies inside is an item only
        # for predicates that name `inPackage`, and for who asks there: for such a scope, path, id or parent.
        type Item (
          id: string,
          parent: ?string,
          name: ?string,
          path: ?string,
          rawName: ?string,
          rawPath: ?string,
          # In a changed item whose path changed, and where `path` was asked for: the one it had.
          previousPath: ?string,
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
          inPackage: ?bool
        )

        type SortKey (attribute: string, ascending: bool)

        # How often one value occurs in a result set; of the values the one that fits the attribute's type
        # is set, and none where the attribute is missing.
        type ValueCount (text: ?string, integer: ?int, number: ?float, flag: ?bool, count: int)

        # started: the query was accepted; progress: a batch of the first results, in `added`; gathered:
        # the first phase is over and every container in scope that can be exact is; updated: the result
        # set changed; alive: it did not, for as long as `heartbeat` says.
        type Event (started, progress, gathered, updated, alive)

        # An item that matched and no longer does, or is gone, with the path it had last.
        type Removal (id: string, path: string, rawPath: ?string)

        # Items that match now. Called with `more`, the answer comes in batches; without, one that is
        # larger than 8 MiB is refused with LimitExceeded. An empty predicate matches everything. `scopes`
        # lists container identifiers, identifiers followed by /Documents or /Data, or absolute directories
        # inside a container; absent, every container that the caller may read. `attributes` absent means
        # name, path, kind, size and modified. With `sync` (the default) the answer reflects every change
        # that was made to the watched files before the call: it waits for containers that are crawling or
        # verifying, for at most `timeout` milliseconds (default 10,000). Without, it tells what is known
        # at once. `inexact` names the containers for which the answer may be wrong: with `sync` those that
        # are degraded or unavailable, without it also the ones not yet crawled.
        method Find(
          predicate: string,
          scopes: ?[]string,
          attributes: ?[]string,
          sort: ?[]SortKey,
          limit: ?int,
          sync: ?bool,
          timeout: ?int
        ) -> (items: []Item, inexact: ?[]string, clock: string)

        # The number of items that match now.
        method Count(
          predicate: string,
          scopes: ?[]string,
          sync: ?bool,
          timeout: ?int
        ) -> (count: int, inexact: ?[]string, clock: string)

        # The distinct values of one attribute over the matching items, most frequent first, of equally
        # frequent ones in their order. Of a list each value counts by itself; items without the attribute
        # count under an entry with no value. Where there are too many distinct values, LimitExceeded.
        method Values(
          predicate: string,
          attribute: string,
          scopes: ?[]string,
          limit: ?int,
          sync: ?bool,
          timeout: ?int
        ) -> (values: []ValueCount, inexact: ?[]string, clock: string)

        # A live query; needs `more`. Replies come as started, progress (none or more), gathered, then
        # updated for each batch of changes, without end. An item is in `changed` when it matched before
        # and matches now, and either something of its own changed (name, directory, any attribute that the
        # file system keeps for it, asked for or not, since its content may have), or an attribute that was
        # asked for and follows from where it lies did (path, depth, scope), as when a directory above it
        # moves. Changes are held for at most `batch` milliseconds (default 0) and merged: what came and
        # went in between is not mentioned, what changed twice is mentioned once. A caller that reads
        # slowly loses nothing: what it has not taken yet is merged the same way. With `since`, a clock
        # from an earlier reply to the same predicate and scopes, only what changed after it is sent, even
        # across a restart of the daemon: the difference between the result set then and now, in progress
        # replies. Where that is no longer known, `fresh` is true in the started reply and everything is
        # gathered again, as it is where predicate, scopes, attributes or caller are not the same. A reply
        # carries `clock` only when everything up to it has been sent. `count` is the size of the result
        # set, in gathered and updated. A container that becomes unavailable or is removed takes its items
        # out of the result set; the query goes on. With `heartbeat`, an alive reply comes after that many
        # milliseconds without another. The way to end it is to close the connection.
        method Watch(
          predicate: string,
          scopes: ?[]string,
          attributes: ?[]string,
          since: ?string,
          batch: ?int,
          heartbeat: ?int
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

        # Returns when everything that was changed before the call has been sent to every live query of the
        # caller, or merged into what is pending for one that reads slowly.
        method Flush() -> (clock: string)

        # What was done in one step of a plan, how many items were left after it, and how long it took.
        type Step (step: string, rows: int, microseconds: int)

        # How a predicate was understood: its canonical text, the attributes that it reads, and how the
        # index answers it. With `analyze` it is carried out once, as Count would be over `scopes`, and
        # `steps` tells of each step: first how many items there are, last how many match.
        method Explain(predicate: string, scopes: ?[]string, analyze: ?bool) -> (
          canonical: string,
          attributes: []string,
          plan: string,
          steps: ?[]Step
        )

        type Attribute (name: string, type: string, aliases: []string, description: string)

        # The attributes that predicates and `attributes` may name.
        method Attributes() -> (attributes: []Attribute)

        # The predicate could not be understood, or names an attribute that does not exist, or uses one
        # against its type; `position` counts bytes from its start.
        error InvalidPredicate (message: string, position: int)

        # A name in `attributes`, `sort` or `attribute` that does not exist.
        error UnknownAttribute (attribute: string)

        # A scope that is no container, or a directory outside all of them.
        error UnknownScope (scope: string)

        # The predicate failed while it was evaluated, for example in a regular expression that went past
        # its limit.
        error EvaluationFailed (message: string)

        error LimitExceeded (limit: string, value: int)

        # The containers were not exact within `timeout`.
        error SyncTimeout (containers: []string)

        """
}
