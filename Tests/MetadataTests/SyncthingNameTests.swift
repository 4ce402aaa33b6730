// The names that belong to Syncthing and to its helper.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Metadata

struct SyncthingNameTests {
    @Test func namesOfSyncthingAreNoFilesOfUsers() {
        for name in [
            ".stfolder", ".stignore", ".stversions", ".gather-sync", ".syncthing.a.txt.tmp", "~syncthing~a.txt.tmp",
            ".syncthing.gather.lock.tmp",
        ] { #expect(SyncthingName.isName(name.utf8), "\(name)") }
        for name in [".stfolder2", "stfolder", ".syncthing", "syncthing.a", "a~syncthing~", ".gather", "", "a"] {
            #expect(!SyncthingName.isName(name.utf8), "\(name)")
        }
    }

    @Test func temporaryNamesAreThoseOfAllVersions() {
        let document = Array("a.txt".utf8)
        for (form, text) in [
            (SaveName.complete, ".syncthing.gather-a.txt.tmp"), (.partial, ".syncthing.gather.part-a.txt.tmp"),
            (.former, ".syncthing.gather.old-a.txt.tmp"), (.evicted, ".syncthing.gather.evict-a.txt.tmp"),
            (.moving, ".syncthing.gather.move-a.txt.tmp"),
        ] {
            #expect(form.of(document) == Array(text.utf8))
            #expect(form.document(of: Array(text.utf8)) == document)
            #expect(form.isName(text.utf8, of: document))
            #expect(SyncthingName.isTemporary(text.utf8))
        }
        #expect(SaveName.manifest == Array(".syncthing.gather.save.tmp".utf8))
        #expect(SaveName.complete.document(of: SaveName.manifest) == nil)
    }
}
