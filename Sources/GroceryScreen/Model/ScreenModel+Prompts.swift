// The prompt: texts that a person types, and those that could not be saved.
// SPDX-License-Identifier: Apache-2.0

internal import GroceryModel

extension ScreenModel {
    mutating func ask(_ purpose: Prompt.Purpose, title: String, _ text: String = "", isProposal: Bool = false) {
        historyPlace = nil
        mode = .prompt(
            Prompt(purpose: purpose, title: title, line: LineEditor(text), first: text, isProposal: isProposal))
    }

    mutating func press(_ key: Key, in prompt: Prompt) {
        var prompt = prompt
        // A text counts as repeated only if it is entered as it was given back.
        if key != .enter { repeated = nil }
        switch key {
        case .enter: submit(prompt)
        case .escape, .control("g"):
            // A text that is given up can be had again by the key for earlier ones.
            remember(prompt.line.text)
            mode = .list
            if case .join(_, let text) = prompt.purpose { offerSecond(text) }
        case .up, .control("p"): recall(-1, in: prompt)
        case .down, .control("n"): recall(1, in: prompt)
        default:
            if prompt.isProposal, case .character = key { prompt.line = LineEditor() }
            if prompt.line.press(key) {
                prompt.isProposal = false
                prompt.error = nil
                mode = .prompt(prompt)
            }
        }
    }

    private mutating func submit(_ prompt: Prompt) {
        let text = ItemText.trimmed(prompt.line.text)
        var done = prompt
        done.error = nil
        done.isProposal = false
        switch prompt.purpose {
        case .add where text.isEmpty, .tag where text.isEmpty, .untag where text.isEmpty, .command where text.isEmpty:
            mode = .list
            return
        case .rename where text.isEmpty:
            done.error = "An item needs a name"
            mode = .prompt(done)
            return
        case .add:
            let twin = twin(of: text)
            if let twin, !(twin.item.isBought || paste != nil || text == repeated) {
                remember(text)
                return ask(.join(twin, text), title: "\(twin.fact). Now", twin.quantity)
            }
            repeated = nil
            // One that was bought comes back.
            let back = twin.flatMap { $0.item.isBought ? ScreenWork.join($0, $0.quantity) : nil }
            submitted[start(back ?? .add(text))] = done
        case .join(let twin, _): submitted[start(.join(twin, text))] = done
        case .rename(let id): submitted[start(.rename(id, prompt.first, text))] = done
        case .setQuantity(let id): submitted[start(.setQuantity(id, prompt.first, text))] = done
        case .tag(let id): submitted[start(.tag(id, Array((items ?? [:]).values).spelled(text.asTags)))] = done
        case .untag(let id): submitted[start(.untag(id, text.asTags))] = done
        case .command: request(.run(text))
        }
        remember(text)
        // A person who adds one item often adds another.
        switch prompt.purpose {
        case .add, .join: ask(.add, title: "Add")
        default: mode = .list
        }
        message = nil
    }

    // MARK: Items that are on the list

    /// The item of the same name as a typed one; nil if there is none.
    private func twin(of text: String) -> Twin? {
        guard let typed = try? ItemContents(typed: text) else { return nil }
        let intended = intendedState
        return Twin(
            typed,
            on: (items ?? [:]).values.map { item in
                var item = item
                item.isBought = intended[item.id] ?? item.isBought
                return item
            })
    }

    /// Gives a text back that was not added, since its item is on the list.
    private mutating func offerSecond(_ text: String) {
        repeated = text
        ask(.add, title: "Add", text)
        guard case .prompt(var prompt) = mode else { return }
        prompt.error = "Enter adds a second one"
        mode = .prompt(prompt)
    }

    // MARK: Unsaved texts

    /// Gives a text back to its prompt, or keeps it until the prompt is free.
    mutating func giveBack(_ prompt: Prompt, error: String) {
        var prompt = prompt
        prompt.error = error
        unsaved.append(prompt)
        message = Message(text: error, isError: true)
    }

    /// Opens the prompt with the next text that could not be saved, if the keys belong to the list.
    mutating func showUnsaved() {
        guard !unsaved.isEmpty else { return }
        switch mode {
        case .list, .quitting: break
        case .prompt(let prompt) where prompt.purpose == .add && prompt.line.isEmpty: break
        default: return
        }
        historyPlace = nil
        mode = .prompt(unsaved.removeFirst())
    }

    /// All texts that a person has typed and that are not saved, for the time after the view.
    var unsavedTexts: [String] {
        var texts = unsaved.map(\.line.text)
        if case .prompt(let prompt) = mode {
            if case .join(_, let text) = prompt.purpose { texts.append(text) }
            if isTyped(prompt) { texts.append(prompt.line.text) }
        }
        texts += submitted.sorted { $0.key < $1.key }.map(\.value.line.text)
        return texts.filter { !$0.isEmpty }
    }

    /// Whether a prompt has another text than the one that it began with.
    private func isTyped(_ prompt: Prompt) -> Bool {
        switch prompt.purpose {
        case .add, .tag: true
        case .join: false
        case .rename(let id): prompt.line.text != items?[id]?.name
        case .setQuantity(let id): prompt.line.text != items?[id]?.quantity
        case .untag, .command: false
        }
    }

    // MARK: History

    private mutating func remember(_ text: String) {
        guard !text.isEmpty, history.last != text else { return }
        history.append(text)
        if history.count > ScreenModel.longestHistory { history.removeFirst() }
    }

    private mutating func recall(_ step: Int, in prompt: Prompt) {
        let place = (historyPlace ?? history.count) + step
        guard history.indices.contains(place) || place == history.count else { return }
        // The text on the line is not lost when another takes its place.
        if historyPlace == nil, !prompt.line.isEmpty { remember(prompt.line.text) }
        guard history.indices.contains(place) || place == history.count else { return }
        historyPlace = place
        var prompt = prompt
        prompt.isProposal = false
        prompt.line = LineEditor(history.indices.contains(place) ? history[place] : "")
        mode = .prompt(prompt)
    }
}

extension String {
    /// The tags of a text such as `#market bio`.
    var asTags: [String] {
        split { $0.isWhitespace || $0 == "," }.map { String($0.drop { $0 == "#" }) }.filter { !$0.isEmpty }
    }
}
