// The operations that the page needs of a list.
// SPDX-License-Identifier: Apache-2.0

package import GroceryModel

/// A list that the page shows and changes.
package protocol PageList: Sendable {
    /// The name of the list.
    var name: String { get }
    /// Returns the items, exact at the call.
    func items() async throws -> [GroceryItem]
    /// Returns the items and their changes.
    func events() -> AsyncThrowingStream<ListEvent, any Error>
    /// Returns the contents of an item's file.
    func contents(of id: ItemIdentifier) async throws -> ItemContents
    /// Puts an item on the list.
    func add(_ contents: ItemContents, as id: ItemIdentifier?) async throws -> ItemIdentifier
    /// Merges contents that were edited elsewhere.
    func put(_ mine: ItemContents, base: ItemContents?, for id: ItemIdentifier) async throws -> PutOutcome
    /// Moves items to the trash.
    func remove(_ ids: [ItemIdentifier]) async throws
    /// Brings back an item that was removed, with its picture. Returns false if only a new item can be made.
    func bringBack(_ id: ItemIdentifier) async throws -> Bool
    /// Returns the changes that can be taken back, the last one first.
    func lastChanges() async throws -> [UndoableChange]
    /// Takes back the last change, which has to be the one that the user was shown. Returns its name and the reasons of steps that were
    /// left out; nil if there is none.
    func undo(_ shown: UndoableChange?) async throws -> (action: String, leftOut: [String])?
    /// Returns this list for the changes of a browser, which has an undo of its own.
    func changed(by browser: String) -> Self
    /// Returns the picture of an item.
    func picture(of id: ItemIdentifier) async throws -> [UInt8]?
    /// Sets or removes the picture of an item.
    func setPicture(_ bytes: [UInt8]?, of id: ItemIdentifier) async throws
    /// Returns the versions of an item, the current one first.
    func pageVersions(of id: ItemIdentifier) async throws -> [PageVersion]
    /// Resolves the conflict of an item.
    func resolve(_ id: ItemIdentifier, by resolution: PageResolution) async throws
}
