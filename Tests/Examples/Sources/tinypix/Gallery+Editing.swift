// Drawing and changing a picture.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import GatherDocuments

extension Gallery {
    /// Draws a picture: in the tint on a terminal, and with plain letters elsewhere. If it is `live`, an empty line follows.
    func draw(_ picture: Document<Picture>, live: Bool) async throws {
        let colour = 40 + (Gallery.tints.firstIndex(of: tint) ?? 0)
        let isTerminal = isatty(STDOUT_FILENO) == 1
        let (on, off) = isTerminal ? ("\u{1B}[\(colour)m  \u{1B}[0m", "\u{1B}[47m  \u{1B}[0m") : ("#", ".")
        TinyPix.show(try await picture.contents.lines(on: on, off: off) + (live ? [""] : []))
        if picture.state.contains(.inConflict) { TinyPix.warn("another program saved this picture, too") }
    }

    /// Changes a picture with the lines of the standard input. Draws it after each change, also after one from outside.
    func edit(_ picture: Document<Picture>) async throws {
        do { try await picture.open() } catch {
            guard error.code == .notFound else { throw error }
            try await picture.create(Picture())
        }
        let redraw = { @Sendable in try await draw(picture, live: true) }
        Task { for await change in picture.changes where change == .reloaded { try await redraw() } }
        Task { for await change in store.changes where change.keys.contains("tint") { try await redraw() } }
        try await redraw()
        for await line in lines {
            do { try await change(picture, line) } catch { TinyPix.warn("\(error)") }
            try await redraw()
        }
        try await picture.close()
    }

    private func change(_ picture: Document<Picture>, _ line: String) async throws {
        switch line {
        case "undo": try await picture.undo()
        case "redo": try await picture.redo()
        default:
            try await picture.edit("Toggle \(line)") { contents in
                for place in line.split(separator: " ") { try contents.toggle(place) }
            }
        }
    }

    /// The lines of the standard input. Reading blocks, so it happens on another thread.
    private var lines: AsyncStream<String> {
        AsyncStream { continuation in
            Thread.detachNewThread {
                while let line = readLine() { continuation.yield(line) }
                continuation.finish()
            }
        }
    }
}
