// Pictures of a grocery list on the real daemon.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import GatherKit
import Glibc
import TestSupport
import Testing

struct GroceryPictureTests {
    @Test func thePictureGoesWithTheLineThatNamesIt() async throws {
        let world = try await EditingWorld()
        let picture = world.daemon.directory + "/picture.png"
        try Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]).write(to: URL(filePath: picture))
        _ = await world.run("add", "Milk")
        _ = await world.run("image", "milk", picture)
        _ = await world.run("image", "milk", picture)
        let file = try world.file("Milk")
        try Change.remove(file)
        let before = try world.files()
        #expect(await world.run("undo").errors.contains("cannot undo 'set picture of Milk': Milk is gone"))
        #expect(try world.files() == before)
    }

    @Test func `A picture lies beside its item, and goes to the trash with it`() async throws {
        let world = try await EditingWorld()
        _ = await world.run("add", "Flour")
        let source = world.daemon.directory + "/p"
        try Data(EditingWorld.picture).write(to: URL(filePath: source))
        #expect(await world.run("image", "flour", source).status == 0)
        let names = try world.files().keys.sorted()
        #expect(names.count == 2 && names[1].hasPrefix(names[0] + "-") && names[1].hasSuffix(".png"))
        #expect(await world.run("show", "flour").text.contains("picture     \(world.documents)/\(names[1])"))
        #expect(await world.run("remove", "flour").status == 0)
        #expect(try world.files().isEmpty)
        #expect(await world.run("undo").status == 0)
        #expect(try world.files().keys.sorted() == names)
        #expect(await world.run("image", "flour", "--remove").status == 0)
        #expect(try world.files().keys.sorted() == [names[0]])
        #expect(await world.run("undo").status == 0)
        #expect(try world.files().keys.sorted() == names)
        try Change.write("no picture", to: source)
        #expect(await world.run("image", "flour", source).status == 64)
    }

    @Test func `A picture that a list cannot keep is refused with its size and with what helps`() async throws {
        let world = try await EditingWorld()
        _ = await world.run("add", "Flour")
        let source = world.daemon.directory + "/p"
        try Data(EditingWorld.picture).write(to: URL(filePath: source))
        try #require(truncate(source, 30 << 20) == 0)
        let large = await world.run("image", "flour", source)
        #expect(large.status == 64)
        #expect(large.errors.contains("has 31457280 bytes, and 16777216 bytes are the most"), "\(large.errors)")
        let pipe = await world.run("image", "flour", "/dev/zero")
        #expect(pipe.status == 64 && pipe.errors.contains("has more than 16777216 bytes"), "\(pipe.errors)")
        try Data([0, 0, 0, 24] + Array("ftypheic".utf8) + [0, 0, 0, 0]).write(to: URL(filePath: source))
        let foreign = await world.run("image", "flour", source)
        #expect(foreign.status == 64 && foreign.errors.contains("heif-convert"), "\(foreign.errors)")
        #expect(try world.files().count == 1)
    }

    @Test func `A line that names another file as the picture neither shows nor removes it`() async throws {
        let world = try await EditingWorld()
        _ = await world.run("add", "Flour", "Milk")
        let (flour, milk) = (try world.file("Flour"), try world.file("Milk"))
        for name in [String(milk.suffix(41)), "..", "Item_x.png", "../gatherd"] {
            try Change.write("Flour\npicture: \(name)\n", to: flour)
            #expect(!(await world.run("show", "flour").text.contains("\npicture")), "\(name)")
            #expect(await world.run("remove", "flour").status == 0, "\(name)")
            #expect(await world.list() == ["Milk"], "\(name)")
            #expect(await world.run("undo").status == 0, "\(name)")
        }
    }

    @Test func `A picture is replaced, and the former one comes back`() async throws {
        let world = try await EditingWorld()
        _ = await world.run("add", "Flour")
        let source = world.daemon.directory + "/p"
        for number in [1, 2] as [UInt8] {
            try Data(EditingWorld.picture + [number]).write(to: URL(filePath: source))
            #expect(await world.run("image", "flour", source).status == 0)
        }
        func last() throws -> UInt8? {
            let names = try FileManager.default.contentsOfDirectory(atPath: world.documents).filter {
                $0.hasSuffix(".png")
            }
            #expect(names.count == 1)
            return try names.first.flatMap { try Data(contentsOf: URL(filePath: world.documents + "/" + $0)).last }
        }
        #expect(try last() == 2)
        #expect(await world.run("undo").status == 0)
        #expect(try last() == 1)
    }
}
