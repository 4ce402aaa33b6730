// A grocery list on the real daemon that becomes a package, a folder, and a file of another format.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import GatherKit
import Glibc
import TestSupport
import Testing

struct GroceryConversionTests {
    @Test func `A list becomes a package and a folder again without loss`() async throws {
        let world = try await EditingWorld()
        _ = await world.run("add", "Milk #a", "Flour", "Bread")
        try Data(EditingWorld.picture).write(to: URL(filePath: world.daemon.directory + "/p"))
        #expect(await world.run("image", "flour", world.daemon.directory + "/p").status == 0)
        try Change.write("Milk 2\n", to: try world.file("Milk") + ".sync-conflict-20261125-120000-ABCDEFG")
        let (before, list) = (try world.files(), await world.list())
        #expect(before.count == 5)
        #expect(await world.run("convert", "--to-package", "Party").status == 0)
        #expect(Set(try world.files().keys.map { $0.split(separator: "/")[1] }) == ["items", "images"])
        #expect(await world.list() == list)
        // A change in the package is a change of one file.
        #expect(await world.run("buy", "bread").status == 0)
        #expect(await world.run("undo").status == 0)
        #expect(await world.run("convert", "--to-folder", "Feast").status == 0)
        #expect(await world.list() == list)
        #expect(await world.run("convert", "--to-documents").status == 0)
        #expect(try world.files() == before)
        #expect(await world.list() == list)
        #expect(try FileManager.default.contentsOfDirectory(atPath: world.documents).count == 5)
        // Nothing is overwritten.
        _ = await world.run("convert", "--to-folder", "Party")
        let name = try #require(try FileManager.default.contentsOfDirectory(atPath: world.documents + "/Party").min())
        try Change.write("mine", to: world.documents + "/" + name)
        #expect(await world.run("convert", "--to-documents").status == 64)
        #expect(try String(contentsOfFile: world.documents + "/" + name, encoding: .utf8) == "mine")
    }

    @Test func `A conversion that was interrupted goes on`() async throws {
        let world = try await EditingWorld()
        _ = await world.run("settings", "--use", "Party")
        _ = await world.run("add", "Milk", "Bread", "Tea")
        let before = Set(try world.files().values)
        #expect(await world.run("convert", "--to-package", "Party").status == 0)
        // One item is in the folder still.
        try Change.directory(world.documents + "/Party")
        let file = try world.file("Bread")
        try Change.rename(file, world.documents + "/Party/" + String(file.suffix(41)))
        #expect(await world.list() == ["Bread", "Milk", "Tea"])
        #expect(await world.run("buy", "bread").status == 0)
        #expect(await world.run("unbuy", "bread").status == 0)
        let goesOn = await world.run("convert", "--to-package", "Party")
        #expect(goesOn.status == 0, "\(goesOn.errors)")
        #expect(await world.list() == ["Bread", "Milk", "Tea"])
        #expect(Set(try world.files().values) == before)
        // A file of another program keeps the package, and that is said.
        try Change.write("x", to: world.documents + "/Party.gro/notes.txt")
        let left = await world.run("convert", "--to-documents")
        #expect(left.errors.contains("other files are left in \(world.documents)/Party.gro"), "\(left.errors)")
        #expect(Set(try world.files().values) == before.union(["x"]))
    }

    @Test func `An exported list is imported as it was`() async throws {
        let world = try await EditingWorld()
        _ = await world.run("add", "2 kg Flour #market", "--note", "line \"one\"\nline two")
        _ = await world.run("add", "Milk")
        _ = await world.run("buy", "milk")
        let json = await world.run("export").text
        let objects = try #require(JSONSerialization.jsonObject(with: Data(json.utf8)) as? [[String: Any]])
        #expect(objects.map { $0["name"] as? String } == ["Flour", "Milk"])
        #expect(objects[0]["note"] as? String == "line \"one\"\nline two" && objects[1]["bought"] as? Bool == true)
        #expect(await world.run("export", "--format", "todo").text == "Flour @market qty:2_kg\nx Milk\n")
        let before = try world.files()
        #expect(await world.run("import", input: json).text == "0 items are on the list now; 2 were there already\n")
        _ = await world.run("remove", "flour", "milk")
        #expect(await world.run("import", input: json).text == "2 items are on the list now\n")
        #expect(try world.files() == before)
        #expect(
            await world.run("import", "--format", "todo", input: "x 2026-01-02 Tea @a_b +c\n\n(A) Rum qty:1_l\n").status
                == 0)
        #expect(await world.list("--group", "none") == ["Flour, 2 kg  [market]", "Rum, 1 l", "Milk", "Tea  [a b, c]"])
        for wrong in ["[{", "[{\"name\":\"\"}]", "{}", "[1]"] {
            #expect(await world.run("import", "--format", "json", input: wrong).status == 64, "\(wrong)")
        }
        #expect(try world.files().count == 4)
    }
}
