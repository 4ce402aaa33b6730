// News from the list, and the results of changes.
// SPDX-License-Identifier: Apache-2.0

internal import GroceryModel

extension ScreenModel {
    mutating func receive(_ event: ScreenEvent) {
        switch event {
        case .list(.items(let items)):
            away = nil
            setItems(items)
        case .list(.changed(let items, let removed)):
            away = nil
            change(items, removed: removed)
        case .list(.away(let reason)): away = reason
        case .ended(let reason): away = reason
        case .details(let key, let result): take(result, for: key)
        case .finished(let number, let result): finish(number, result)
        case .edited(let id, let outcome): finishEditing(id, outcome)
        case .remover(let id, let name): if gone?.item.id == id { gone?.remover = name }
        case .undoable(let change): undoable = change
        case .matched(let text, let result): take(result, matching: text)
        case .ran(let failure): message = failure.map { Message(text: $0, isError: true) }
        }
        if case .conflict(let picker) = mode, items?[picker.item] == nil { closePicker("The item was removed") }
        if case .details = mode, selected == nil, gone == nil { mode = .list }
        showUnsaved()
    }

    private mutating func take(_ result: Result<Set<ItemIdentifier>, ScreenFailure>, matching text: String) {
        // The answer to an earlier text.
        guard text == filter.text else { return }
        switch result {
        case .success(let found):
            (matching, filterError) = (found, nil)
            arrange()
        case .failure(let failure): filterError = failure.message
        }
    }

    private mutating func take(_ result: Result<ItemDetails, ScreenFailure>, for key: DetailsKey) {
        // The answer for an item that is no longer selected.
        guard let wanted = wantedDetails, wanted.item.id == key.item.id else { return }
        if detailsKey?.item.id != key.item.id { detailsFirstLine = 0 }
        detailsKey = key
        switch result {
        case .success(let details):
            self.details = details
            detailsError = nil
            if case .conflict(let picker) = mode, picker.item == key.item.id { refreshPicker(with: details.versions) }
        case .failure(let failure):
            details = nil
            detailsError = failure.message
        }
    }

    private mutating func finish(_ number: Int, _ result: Result<WorkOutcome, ScreenFailure>) {
        guard let work = pending.removeValue(forKey: number) else { return }
        let prompt = submitted.removeValue(forKey: number)
        switch result {
        case .success(let outcome):
            if let text = outcome.message { message = Message(text: text) }
            if let items = outcome.items { setItems(items) }
            if let added = outcome.added { awaited = added }
            if let contents = outcome.opened, let id = work.item, !isQuitting { request(.edit(id, contents)) }
            // Without a live list, the change shows when the list is read again.
            if case .reload = work {} else if away != nil { start(.reload) }
            arrange()
        case .failure(let failure):
            arrange()
            if let prompt {
                giveBack(prompt, error: failure.message)
            } else if case .reload = work, away != nil {
                // The message line says already why the list is old.
            } else {
                message = Message(text: failure.message, isError: true)
                if isQuitting { mode = .list }
            }
        }
        showUnsaved()
        if isQuitting, pending.isEmpty { request(.quit) }
    }

    private var isQuitting: Bool { if case .quitting = mode { true } else { false } }

    private mutating func finishEditing(_ id: ItemIdentifier, _ outcome: EditorOutcome) {
        switch outcome {
        case .changed(let text): start(.save(id, text))
        case .unchanged: message = Message(text: "Nothing was changed")
        case .failed(let text): message = Message(text: text, isError: true)
        }
    }
}
