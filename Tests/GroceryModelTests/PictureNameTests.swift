// The names that an item's file may give for its picture.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import GroceryModel

struct PictureNameTests {
    private let id = ItemIdentifier.random()

    @Test(arguments: [".jpg", "-2.png", ".b.jpg"]) func aPictureHasTheNameOfItsItem(ending: String) {
        #expect(GroceryList.isPicture(id.fileName + ending, of: id))
    }

    /// A system call would end at the NUL, and take a version of the item itself.
    @Test(arguments: [
        "", ".a/b.jpg", ".sync-conflict-20260101-000000-ABCDEFG", ".sync-conflict-20260101-000000-ABCDEFG\0x.jpg",
        ".jpg\0",
    ]) func otherFilesAreNoPictures(ending: String) {
        #expect(!GroceryList.isPicture(id.fileName + ending, of: id))
    }
}
