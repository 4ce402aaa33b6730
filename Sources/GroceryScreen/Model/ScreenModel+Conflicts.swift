// Keys of the choice between versions in conflict.
// SPDX-License-Identifier: Apache-2.0

internal import GroceryModel

extension ScreenModel {
    mutating func press(_ key: Key, in picker: ConflictPicker) {
        var picker = picker
        message = nil
        switch key {
        case .escape, .left, .control("g"), .character("q"):
            mode = .list
            return
        case .up, .character("k"): picker.select(picker.selected - 1)
        case .down, .character("j"): picker.select(picker.selected + 1)
        case .home: picker.select(0)
        case .end: picker.select(picker.choiceCount - 1)
        case .pageUp: picker.firstLine -= layout.bodyHeight
        case .pageDown: picker.firstLine += layout.bodyHeight
        case .character(" "): picker.choose()
        case .enter:
            if let resolution = picker.resolution { resolve(picker, resolution) }
            return
        case .character("+"):
            if picker.versions.count > 1 { resolve(picker, .both) }
            return
        case .character(let scalar):
            let label = String(scalar).uppercased()
            let version = picker.versions.indices.first { ConflictPicker.label($0) == label }
            guard let version else { return }
            resolve(picker, .version(picker.versions[version]))
            return
        default: return
        }
        let lines = conflictLines(picker)
        let isMove = key != .pageUp && key != .pageDown
        if isMove, let line = lines.firstIndex(where: \.isSelected) {
            picker.firstLine = min(picker.firstLine, line)
            picker.firstLine = max(picker.firstLine, line - layout.bodyHeight + 1)
        }
        if picker.selected == 0, isMove { picker.firstLine = 0 }
        picker.firstLine = max(0, min(picker.firstLine, lines.count - layout.bodyHeight))
        mode = .conflict(picker)
    }

    private mutating func resolve(_ picker: ConflictPicker, _ resolution: Resolution) {
        start(.resolve(picker.item, resolution))
        mode = .list
    }

    /// Takes versions that were read anew.
    mutating func refreshPicker(with versions: [ItemVersion]) {
        guard case .conflict(var picker) = mode else { return }
        guard versions.count > 1 else {
            closePicker("The conflict is resolved already")
            return
        }
        picker.take(versions)
        mode = .conflict(picker)
    }

    mutating func closePicker(_ text: String) {
        mode = .list
        message = Message(text: text)
    }
}
