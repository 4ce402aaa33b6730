// The amount at the beginning of a typed line.
// SPDX-License-Identifier: Apache-2.0

/// The amount at the beginning of a typed line, such as `1 1/2 cups` or `2 x 500 g`, and the name behind it.
///
/// The page reads lines by the same expressions, which `Packaging/dev/page-test` compares.
struct TypedAmount {
    let quantity: String
    let name: String

    /// Reads words with one blank between them. Nil if they begin with no amount, or with one that is understood in part only: the
    /// whole line is the name then, since no name begins with the rest of an amount.
    init?(_ text: String) {
        guard text.first.map(TypedAmount.numbers.contains) ?? false,
            let expression = TypedAmount.expression(TypedAmount.line),
            let match = try? expression.wholeMatch(in: text),
            let amount = match["amount"]?.substring, let name = match["name"]?.substring
        else { return nil }
        let hasUnit = amount.last.map { !TypedAmount.numbers.contains($0) } ?? false
        guard hasUnit || match["of"]?.substring == nil, !TypedAmount.isRest(String(name)) else { return nil }
        // The marks after units are no part of them: `500 g. salt`.
        quantity = amount.split(separator: " ").map { word in
            word.last.map { ".,:;".contains($0) } ?? false ? word.dropLast() : word
        }.joined(separator: " ")
        self.name = String(name)
    }

    /// Whether a name begins with a part of an amount that was not understood.
    private static func isRest(_ name: String) -> Bool {
        // A unit alone is a name: `2 kg` has nothing else that could be one.
        expression("(?:\(unit))")?.matches(name) != true && expression(rest)?.begins(name) == true
    }

    // MARK: Expressions

    private static func expression(_ pattern: String) -> Expression? {
        // Regex is not Sendable, so none is kept. Making one takes about 3 ms.
        (try? Regex(pattern).ignoresCase()).map { Expression(regex: $0) }
    }

    private struct Expression {
        let regex: Regex<AnyRegexOutput>

        func wholeMatch(in text: String) throws -> Regex<AnyRegexOutput>.Match? { try regex.wholeMatch(in: text) }
        func matches(_ text: String) -> Bool { ((try? regex.wholeMatch(in: text)) ?? nil) != nil }
        func begins(_ text: String) -> Bool { ((try? regex.prefixMatch(in: text)) ?? nil) != nil }
    }

    private static let fractions = "½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅐⅛⅜⅝⅞⅑⅒"
    private static let numbers = "0123456789" + fractions
    /// `1 000`, `1 1/2`, `1 ½`, `1,5`, `1½` or `1/2`.
    private static let number =
        "(?:[0-9]{1,3}(?: [0-9]{3})+(?:[.,][0-9]+)?|[0-9]+ (?:[0-9]+[/⁄][0-9]+|[\(fractions)])"
        + "|[\(numbers)](?:[.,/⁄\(numbers)]*[\(numbers)])?)(?![.,/⁄\(numbers)])"
    private static let unit =
        "kg|g|mg|lbs?|oz|fl\\.? oz|ml|cl|dl|l|gal|pt|qt|cups?|tbsp|tsp|packs?|packets?|pkg|box|boxes|bags?|bottles?|cans?|tins?"
        + "|jars?|bunch|bunches|loaf|loaves|dozen|pieces?|pcs|slices?|rolls?|liters?|litres?|grams?|kilos?|pounds?|ounces?"
        + "|pints?|quarts?|gallons?|cartons?|tubs?|heads?|cloves?|sticks?|pinch|pinches|pairs?|ct|stück|stk|packung"
        + "|packungen|päckchen|pakete?|dosen?|flaschen?|becher|bund|glas|gläser|beutel|el|tl|gramm|pfund|tassen?|prisen?"
        + "|scheiben?|kisten?|kasten|tüten?|tafeln?|rollen?|zehen?|stangen?|netze?"
    /// A unit with the mark after it, such as `g.`.
    private static let marked = "(?:\(unit))[.,:;]?(?= |$)"
    /// `2 kg`, `500g` or `2`. A word may stand before the unit if `of` comes after it: `2 large cans of beans`.
    private static let amount = "\(number)(?: ?\(marked)| \\p{L}+ (?:\(unit))(?= of ))?"
    /// `2 x 500 g`, `2 lb 4 oz`, `2 x` and `2 cans of`, with the name behind them.
    private static let line =
        "(?<amount>\(amount)(?: ?[x×*] ?\(amount)| \(number) ?\(marked))*)(?: ?[x×*](?= ))?(?<of> (?:of|de|di|von)(?= ))? (?<name>.+)"
    /// The beginnings of names that belong to the amount: signs, other numbers, units with a sign, and words between two numbers.
    private static let rest =
        "[\\p{P}\\p{Sm}\\p{Sc}°]|\(amount)(?: |$)|(?![0-9]+\\p{L}[\\p{L}0-9]*(?: |$))[\(numbers)]"
        + "|(?:\(unit))(?![\\p{L}\\p{N}'’ ])|(?:\(unit)|or|to|and|of|plus|by|times|oder|bis|und|mal|von|x)(?: |$)"
}
