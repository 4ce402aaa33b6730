// Predicates of Foundation with every kind of expression that the language has words for.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import GatherKit

/// With attributes that are nil, and some that are not. Each is a statement of its own: the compiler gives a list of them up.
enum SamplePredicates {
    static let all: [Predicate<MetadataItem>] = text + values + lists

    private static let text: [Predicate<MetadataItem>] = {
        var all: [Predicate<MetadataItem>] = []
        func add(_ predicate: Predicate<MetadataItem>) { all.append(predicate) }
        let quoted = "it's \\ \"quoted\""
        let empty = ""
        add(#Predicate<MetadataItem> { $0.id == "i3" })
        add(#Predicate<MetadataItem> { $0.name == "a" })
        add(#Predicate<MetadataItem> { $0.name == "Cr\u{E8}me.jpg" })
        add(#Predicate<MetadataItem> { $0.name == "Cre\u{300}me.jpg" })
        add(#Predicate<MetadataItem> { $0.name == "K" })
        add(#Predicate<MetadataItem> { $0.name == "*" })
        add(#Predicate<MetadataItem> { $0.name == quoted })
        add(#Predicate<MetadataItem> { $0.name != "a" })
        add(#Predicate<MetadataItem> { $0.name == nil })
        add(#Predicate<MetadataItem> { $0.name != nil })
        add(#Predicate<MetadataItem> { $0.name == $0.owner })
        add(#Predicate<MetadataItem> { $0.name != $0.owner })
        add(#Predicate<MetadataItem> { !($0.name == $0.owner) })
        add(#Predicate<MetadataItem> { ($0.name ?? "b") < "c" })
        add(#Predicate<MetadataItem> { ($0.name ?? "b") >= ($0.owner ?? "Cr\u{E8}me.jpg") })
        add(#Predicate<MetadataItem> { ($0.name ?? $0.owner ?? "a") == "a" })
        add(#Predicate<MetadataItem> { ($0.name ?? "a") != "a" })
        add(#Predicate<MetadataItem> { $0.name?.contains("e") == true })
        add(#Predicate<MetadataItem> { $0.name?.contains("\u{E8}") != true })
        add(#Predicate<MetadataItem> { $0.name?.contains("\u{C4}") == false })
        add(#Predicate<MetadataItem> { ($0.name?.contains(empty) ?? false) })
        add(#Predicate<MetadataItem> { ($0.name ?? "").contains($0.owner ?? "") })
        add(#Predicate<MetadataItem> { ($0.name ?? "").starts(with: "Item_") })
        add(#Predicate<MetadataItem> { ($0.name ?? "a").starts(with: $0.owner ?? "z") })
        add(#Predicate<MetadataItem> { $0.name?.isEmpty ?? true })
        add(#Predicate<MetadataItem> { $0.name?.utf16.count == 1 })
        return all
    }()

    private static let values: [Predicate<MetadataItem>] = {
        var all: [Predicate<MetadataItem>] = []
        func add(_ predicate: Predicate<MetadataItem>) { all.append(predicate) }
        let file = FileKind.file
        let moment = Timestamp(seconds: 101, nanoseconds: 5)
        let range = 3..<7 as Range<Int64>
        add(#Predicate<MetadataItem> { ($0.size ?? 0) > 5 })
        add(#Predicate<MetadataItem> { ($0.size ?? 9) > 5 })
        add(#Predicate<MetadataItem> { ($0.size ?? $0.depth ?? 3) <= 3 })
        add(#Predicate<MetadataItem> { ($0.size ?? 2) == ($0.depth ?? 2) })
        add(#Predicate<MetadataItem> { !(($0.size ?? 0) < 5) })
        add(#Predicate<MetadataItem> { $0.size! > 5 })
        add(#Predicate<MetadataItem> { $0.size! + $0.depth! == 9 })
        add(#Predicate<MetadataItem> { $0.size! - $0.depth! * 2 > 0 })
        add(#Predicate<MetadataItem> { -$0.size! == -4 })
        add(#Predicate<MetadataItem> { ($0.size ?? 0) / 3 == 2 && ($0.size ?? 0) % 2 == 0 })
        add(#Predicate<MetadataItem> { $0.size.flatMap { $0 + 1 } == 5 })
        add(#Predicate<MetadataItem> { $0.size.flatMap { _ in 5 } == nil })
        add(#Predicate<MetadataItem> { $0.size.flatMap { _ in 5 } == 5 })
        add(#Predicate<MetadataItem> { range.contains($0.size ?? 4) })
        add(#Predicate<MetadataItem> { (2...6).contains($0.size ?? 0) })
        add(#Predicate<MetadataItem> { ((($0.depth ?? 1))..<7).contains($0.size ?? 0) })
        add(#Predicate<MetadataItem> { if let size = $0.size { size > 5 } else { false } })
        add(
            #Predicate<MetadataItem> { item in
                if let size = item.size, let depth = item.depth { size > depth } else { true }
            })
        add(#Predicate<MetadataItem> { ($0.isHidden == true ? ($0.size ?? 0) : ($0.depth ?? 0)) > 4 })
        add(#Predicate<MetadataItem> { $0.isHidden == true ? $0.size == 4 : $0.depth != 4 })
        add(#Predicate<MetadataItem> { $0.isHidden == true })
        add(#Predicate<MetadataItem> { $0.isHidden != true })
        add(#Predicate<MetadataItem> { $0.isHidden == false })
        add(#Predicate<MetadataItem> { $0.isHidden == nil })
        add(#Predicate<MetadataItem> { !($0.isHidden ?? true) })
        add(#Predicate<MetadataItem> { $0.isHidden == $0.isDocument })
        add(#Predicate<MetadataItem> { $0.isDocument == true && $0.container == "grocery" })
        add(#Predicate<MetadataItem> { $0.kind == file })
        add(#Predicate<MetadataItem> { $0.kind?.isDirectory == true })
        add(#Predicate<MetadataItem> { $0.kind?.isDirectory != true })
        add(#Predicate<MetadataItem> { $0.modified == moment })
        add(#Predicate<MetadataItem> { ($0.modified ?? moment) > ($0.created ?? moment) })
        add(#Predicate<MetadataItem> { ($0.modified ?? moment) <= moment })
        return all
    }()

    private static let lists: [Predicate<MetadataItem>] = {
        var all: [Predicate<MetadataItem>] = []
        func add(_ predicate: Predicate<MetadataItem>) { all.append(predicate) }
        let some: [String?] = ["a", nil]
        let set: Set<String> = ["ana", "K"]
        let texts = ["a", "Item_1.txt", "Cr\u{E8}me.jpg"]
        add(#Predicate<MetadataItem> { texts.contains($0.name ?? "") })
        add(#Predicate<MetadataItem> { some.contains($0.name) })
        add(#Predicate<MetadataItem> { set.contains($0.owner ?? "ana") })
        add(#Predicate<MetadataItem> { item in texts.contains { $0 == (item.name ?? "K") } })
        add(#Predicate<MetadataItem> { item in texts.allSatisfy { $0 != (item.name ?? "a") } })
        add(#Predicate<MetadataItem> { $0.tags?.contains("red") == true })
        add(#Predicate<MetadataItem> { $0.tags?.contains("red") != true })
        add(#Predicate<MetadataItem> { ($0.tags ?? []).contains("Cr\u{E8}me") })
        add(#Predicate<MetadataItem> { ($0.tags ?? []).contains($0.name ?? "red") })
        add(#Predicate<MetadataItem> { ($0.tags ?? []).contains { $0.starts(with: "u") } })
        add(#Predicate<MetadataItem> { $0.tags?.contains { $0.starts(with: "u") && $0.contains("ful") } == true })
        add(#Predicate<MetadataItem> { item in (item.tags ?? []).contains { $0 == (item.name ?? "K") } })
        add(#Predicate<MetadataItem> { ($0.tags ?? []).allSatisfy { $0.contains("r") } })
        add(#Predicate<MetadataItem> { $0.tags?.allSatisfy { $0.contains("r") || $0 == "a" } == true })
        add(#Predicate<MetadataItem> { $0.tags?.allSatisfy { !$0.starts(with: "u") } ?? false })
        add(#Predicate<MetadataItem> { $0.tags?.count == 2 })
        add(#Predicate<MetadataItem> { $0.tags?.isEmpty == true })
        add(#Predicate<MetadataItem> { $0.tags?.isEmpty == false })
        add(#Predicate<MetadataItem> { $0.tags?.first == "red" })
        add(#Predicate<MetadataItem> { $0.tags?.last != "K" })
        add(#Predicate<MetadataItem> { $0.tags![0] == "red" })
        add(#Predicate<MetadataItem> { $0.tags?.filter { $0.starts(with: "u") }.count == 1 })
        add(#Predicate<MetadataItem> { ($0.tags ?? []) == ["red"] || $0.tags == [] })
        add(#Predicate<MetadataItem> { $0.name == "a" || $0.name == "b" && $0.size != nil })
        add(#Predicate<MetadataItem> { $0.size != nil && !($0.size == 3 || $0.depth == 2) })
        return all
    }()
}
