// The loop between the terminal, the view and the list.
// SPDX-License-Identifier: Apache-2.0

internal import CNcurses
internal import Glibc
internal import GroceryModel
internal import LinuxSystem

/// Runs the view on one thread, which alone uses the terminal and ncurses. It sleeps in poll(2) until a key, a signal or news
/// of the list arrives, so no change of the list waits for a key.
final class ScreenLoop {
    /// After a signal, changes that were asked for have this time to be made, in nanoseconds.
    private static let savingTime: UInt64 = 5_000_000_000

    private let worker: ListWorker
    private let mailbox: Mailbox
    private let commands: CommandRunner
    private var model: ScreenModel
    private var reader = KeyReader()
    private var drafts: [ItemIdentifier: EditorDraft] = [:]
    /// The state of the item whose details are being read.
    private var reading: DetailsKey?
    private var end: ScreenEnd?

    init(model: ScreenModel, worker: ListWorker, mailbox: Mailbox, commands: CommandRunner) {
        self.commands = commands
        self.model = model
        self.worker = worker
        self.mailbox = mailbox
    }

    func run(usesColour: Bool, usesMouse: Bool) throws(ScreenFailure) -> ScreenEnd {
        let screen = try CursesScreen(usesColour: usesColour, usesMouse: usesMouse)
        worker.follow()
        fit(screen)
        while true {
            performRequests()
            if let wanted = model.wantedDetails, wanted != reading {
                reading = wanted
                worker.read(wanted)
            }
            if let end { return finish(screen, end) }
            screen.show(model.draw())
            wait(screen)
        }
    }

    private func wait(_ screen: borrowing CursesScreen) {
        guard let (hasKeys, hasNews) = try? Poll.untilReadable(STDIN_FILENO, screen.pipe) else {
            leave(by: SIGHUP)
            return
        }
        if hasNews {
            while true {
                let byte = cncurses_take_byte()
                if byte == CInt(CNCURSES_NONE) { break }
                handle(signal: byte, screen)
            }
            for event in mailbox.take() { receive(event) }
        }
        if hasKeys {
            let keys = screen.keys(&reader)
            if keys.isEmpty, cncurses_input_ended() != 0 { leave(by: SIGHUP) }
            for key in keys {
                if key == .control("z") {
                    cncurses_stop_others()
                    suspend(screen)
                } else {
                    model.press(key)
                }
            }
        }
    }

    private func receive(_ event: ScreenEvent) {
        if case .details(let key, _) = event, key == reading { reading = nil }
        if case .edited(let id, .unchanged) = event { drafts[id] = nil }
        if case .finished(let number, .success) = event, case .save(let id, _)? = model.pending[number] {
            drafts[id] = nil
        }
        model.receive(event)
    }

    private func handle(signal: Int32, _ screen: borrowing CursesScreen) {
        switch signal {
        case 0: break
        case SIGWINCH:
            cncurses_resize()
            // Terminals move lines in ways of their own.
            cncurses_forget()
            fit(screen)
        case SIGTSTP: suspend(screen)
        case SIGCONT:
            // The shell may have used the terminal after a SIGSTOP.
            cncurses_leave()
            cncurses_return()
        default: leave(by: signal)
        }
    }

    /// Stops the process until a shell lets it go on.
    private func suspend(_ screen: borrowing CursesScreen) {
        cncurses_leave()
        raise(SIGSTOP)
        cncurses_return()
        fit(screen)
    }

    /// Gives the view the size of the terminal.
    private func fit(_ screen: borrowing CursesScreen) {
        let size = screen.size
        model.resize(width: size.width, height: size.height)
    }

    private func leave(by signal: Int32?) {
        if end == nil { end = ScreenEnd(signal: signal, unsavedTexts: []) }
    }

    /// Performs requests, and those that follow from them: a text that the editor has left is to be saved.
    private func performRequests() {
        while true {
            let requests = model.takeRequests()
            if requests.isEmpty { return }
            for request in requests { perform(request) }
        }
    }

    private func perform(_ request: ScreenRequest) {
        switch request {
        case .work(let number, let work): worker.start(number, work, name: name(of: work))
        case .follow: worker.follow()
        case .redraw: cncurses_forget()
        case .quit: leave(by: nil)
        case .edit(let id, let contents): edit(id, contents)
        case .match(let predicate): worker.match(predicate)
        case .remover(let id): worker.findRemover(of: id)
        case .run(let line):
            cncurses_leave()
            let failure = commands.run(line)
            cncurses_return()
            receive(.ran(failure))
        }
    }

    private func name(of work: ScreenWork) -> String {
        guard let id = work.item else { return "" }
        let gone = model.gone?.item
        return model.items?[id]?.name ?? (gone?.id == id ? gone?.name : nil) ?? ""
    }

    private func edit(_ id: ItemIdentifier, _ contents: ItemContents) {
        do {
            // A draft that is gone would be an empty text.
            if let draft = drafts[id], access(draft.path, F_OK) != 0 { drafts[id] = nil }
            let draft = try drafts[id] ?? ExternalEditor.makeDraft(contents)
            drafts[id] = draft
            cncurses_leave()
            let outcome = ExternalEditor.edit(draft)
            cncurses_return()
            receive(.edited(id, outcome))
        } catch {
            receive(.edited(id, .failed(ListWorker.failure(error).message)))
        }
    }

    /// Restores the terminal, and waits for the changes that were asked for.
    private func finish(_ screen: borrowing CursesScreen, _ end: ScreenEnd) -> ScreenEnd {
        screen.end()
        let limit = MonotonicClock.now() + ScreenLoop.savingTime
        while !model.pending.isEmpty, end.signal != nil {
            var descriptor = pollfd(fd: screen.pipe, events: Int16(POLLIN), revents: 0)
            let now = MonotonicClock.now()
            guard now < limit, poll(&descriptor, 1, Int32((limit - now) / 1_000_000) + 1) > 0 else { break }
            while cncurses_take_byte() != CInt(CNCURSES_NONE) {}
            for event in mailbox.take() { receive(event) }
            for case .work(let number, let work) in model.takeRequests() {
                worker.start(number, work, name: name(of: work))
            }
        }
        worker.stop()
        return ScreenEnd(signal: end.signal, unsavedTexts: model.unsavedTexts)
    }
}
