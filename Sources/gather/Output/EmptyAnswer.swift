// Advice where nothing matches.
// SPDX-License-Identifier: Apache-2.0

internal import GatherKit
internal import PredicateLanguage

/// The one line on standard error that says why an answer may be empty.
enum EmptyAnswer {
    /// Says why nothing matched, if that is known: nothing is watched, the predicate probably means something else, or
    /// hidden names were left out.
    static func note(
        _ question: AskedQuestion, _ client: inout BlockingClient, _ scopes: [SearchScope], _ connection: Connection
    ) {
        if NoContainers.note(ifNoneIn: &client, scopes, connection) { return }
        if let hint = hints(question.predicate).first { return Output.note("nothing matches: \(hint)") }
        guard let withHidden = question.withHidden else { return }
        // An answer that is not ready at once is no reason to wait.
        let search = Search(predicate: withHidden, scopes: scopes, freshness: .asKnown, timeout: connection.patience)
        if let hidden = try? client.count(search).count, hidden > 0 {
            Output.note(
                "nothing matches but \(Readable.count(hidden, "name", "names")) with a dot in front; --hidden includes them"
            )
        }
    }

    /// The remarks of the language on a predicate that is valid and probably means something else.
    static func hints(_ predicate: String) -> [String] {
        ((try? Predicate(parsing: predicate, mode: .metadata))?.hints ?? []).map(\.description)
    }
}
