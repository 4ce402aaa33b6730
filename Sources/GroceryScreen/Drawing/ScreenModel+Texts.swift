// The texts that scroll: details, versions in conflict, and help.
// SPDX-License-Identifier: Apache-2.0

internal import GroceryModel

extension ScreenModel {
    /// The details of the selected item.
    var detailLines: [ScreenLine] {
        guard let selected = gone?.item ?? selected, let item = gone?.item ?? items?[selected.id] else { return [] }
        var text = ScreenText(width: layout.details.count, isUnicode: isUnicode)
        text.add(item.name, style: .bold)
        text.addEmpty()
        if let gone {
            text.add("Removed\(gone.remover.map { " by \($0)" } ?? ""); u brings it back", style: .notice)
            text.addEmpty()
        }
        let known = detailsKey?.item.id == item.id ? details : nil
        if !item.quantity.isEmpty { text.add(item.quantity, label: "Quantity  ") }
        text.add(selected.isBought ? "yes" : "no", label: "Bought    ")
        if !item.tags.isEmpty { text.add(item.tags.map { "#" + $0 }.joined(separator: " "), label: "Tags      ") }
        if let picture = known?.contents.picture { text.add(picture, label: "Picture   ") }
        if let modified = item.modified { text.add(modified.localText, label: "Modified  ") }
        if let owner = item.owner { text.add(owner, label: "Owner     ") }
        text.add(item.id.short, label: "Item      ")
        if pending.values.contains(where: { $0.item == item.id }) { text.add("being saved", style: .notice) }
        if item.conflictVersions > 0 {
            text.addEmpty()
            let count = item.conflictVersions + 1
            text.add("! In conflict: \(count) versions; c chooses", style: .error)
            for (index, version) in (known?.versions ?? []).enumerated() {
                text.add(ScreenModel.text(of: version), label: "\(ConflictPicker.label(index)) ")
            }
        }
        if detailsKey?.item.id == item.id, let detailsError {
            text.addEmpty()
            text.add(detailsError, style: .error)
        }
        if let note = known?.contents.note, !note.isEmpty {
            text.addEmpty()
            text.add(note)
        }
        return text.lines
    }

    /// The time and the device of a version.
    private static func text(of version: ItemVersion) -> String {
        version.modified.localText + (version.device.map { ", \($0)" } ?? "")
            + (version.isCurrent ? ", current" : "")
    }

    /// The versions of an item in conflict, and the values to choose from.
    func conflictLines(_ picker: ConflictPicker) -> [ScreenLine] {
        var text = ScreenText(width: width, isUnicode: isUnicode)
        text.add("\(items?[picker.item]?.name ?? "The item") is in conflict", style: .bold)
        guard picker.versions.count > 1 else {
            if detailsKey?.item.id == picker.item, let detailsError {
                text.add(detailsError, style: .error)
            } else {
                text.add("Reading the versions")
            }
            return text.lines
        }
        for (index, version) in picker.versions.enumerated() {
            text.add(ScreenModel.text(of: version), label: " \(ConflictPicker.label(index)) ", labelStyle: .bold)
        }
        var number = 0
        for field in picker.fields {
            text.addEmpty()
            text.add(field.title, style: .heading)
            for (index, choice) in field.choices.enumerated() {
                let isSelected = number == picker.selected
                let mark = index == field.chosen ? "(*)" : "( )"
                text.add(
                    choice.text, label: "\(isSelected ? ">" : " ")\(mark) \(choice.label) ", labelStyle: .plain,
                    isSelected: isSelected)
                number += 1
            }
        }
        if picker.fields.isEmpty {
            text.addEmpty()
            text.add("The versions say the same. Enter keeps the current one.")
        }
        return text.lines
    }

    var helpLines: [ScreenLine] {
        var text = ScreenText(width: width, isUnicode: isUnicode)
        let entries = KeyHelp.list + KeyHelp.moving
        let longest = entries.map(\.key.count).max() ?? 0
        for entry in entries {
            let blanks = String(repeating: " ", count: longest - entry.key.count + 2)
            text.add(entry.long, label: " \(entry.key)\(blanks)", labelStyle: .bold)
        }
        text.addEmpty()
        for (light, meaning) in [
            (Light.normal, "green: saved"), (.busy, "yellow: busy, a change is being saved"),
            (.inConflict, "red: in conflict, versions were saved independently"),
        ] {
            let (sign, colour) = sign(of: light)
            text.add(meaning, label: " \(sign)  ", labelStyle: CellStyle(isBold: true, colour: colour))
        }
        text.addEmpty()
        text.add("A text that was given up comes back with the Up key in the prompt.")
        return text.lines
    }
}
