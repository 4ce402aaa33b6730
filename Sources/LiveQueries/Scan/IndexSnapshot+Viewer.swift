// The items that a viewer may see.
// SPDX-License-Identifier: Apache-2.0

package import MetadataIndex

extension IndexSnapshot {
    /// The items that a viewer may see. Complexity: O(rows).
    package func rows(seenBy viewer: Viewer) -> RowSelection {
        var selection = RowSelection(blockCount: blockCount)
        guard viewer.seesAnything else { return selection }
        var directories = SeenDirectories(viewer, in: self)
        for block in 0..<blockCount {
            var bits = liveRows(inBlock: block)
            select(directoryMatching: { directories.lists($0, in: self) }, inBlock: block, among: &bits)
            selection.set(block: block, bits)
        }
        return selection
    }
}
