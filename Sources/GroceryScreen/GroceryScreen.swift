// The full-screen view of a list.
// SPDX-License-Identifier: Apache-2.0

internal import CNcurses
internal import Glibc
package import GroceryModel
internal import LinuxSystem

package enum GroceryScreen {
    /// Whether standard input and output are terminals.
    package static var isPossible: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 }

    /// Shows a list on the terminal until a person leaves it or a signal ends it. The terminal is restored in every case,
    /// except after SIGKILL. It is drawn without colours if `NO_COLOR` is set, and in ASCII outside of UTF-8 locales.
    ///
    /// `saveSettings` is called after each change of sorting or grouping. Throws a `GroceryError` if the terminal cannot be
    /// used.
    package static func run(
        list: GroceryList, settings: ListSettings, usesMouse: Bool = true,
        saveSettings: @escaping @Sendable (ListSettings) async throws -> Void
    ) async throws -> ScreenEnd {
        let isUnicode = cncurses_use_locale() != 0
        let usesColour = getenv("NO_COLOR").map { $0.pointee == 0 } ?? true
        let model = ScreenModel(listName: list.name, settings: settings, isUnicode: isUnicode)
        let mailbox = Mailbox()
        let commands = CommandRunner(list)
        let worker = ListWorker(list: list, mailbox: mailbox, saveSettings: saveSettings)
        let result: Result<ScreenEnd, any Error> = await withCheckedContinuation { continuation in
            do {
                let thread = try Threads.start {
                    let loop = ScreenLoop(model: model, worker: worker, mailbox: mailbox, commands: commands)
                    do throws(ScreenFailure) {
                        continuation.resume(
                            returning: .success(try loop.run(usesColour: usesColour, usesMouse: usesMouse)))
                    } catch {
                        continuation.resume(
                            returning: .failure(GroceryError(.invalid, error.message)))
                    }
                }
                thread.detach()
            } catch {
                continuation.resume(returning: .failure(error))
            }
        }
        return try result.get()
    }
}
