// The amount at the beginning of a typed line.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

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
            let found = TypedAmount.expressions.withLock({ $0?.read(text) })
        else { return nil }
        // The marks after units are no part of them: `500 g. salt`.
        quantity = found.amount.split(separator: " ").map { word in
            word.last.map { ".,:;".contains($0) } ?? false ? word.dropLast() : word
        }.joined(separator: " ")
        name = found.name
    }

    // MARK: Expressions

    /// Made once, since that takes milliseconds. Behind a lock, since `Regex` is not Sendable.
    private static let expressions = Mutex(Expressions())

    private struct Expressions {
        let line: Regex<AnyRegexOutput>
        let rest: Regex<AnyRegexOutput>
        let unit: Regex<AnyRegexOutput>

        init?() {
            func expression(_ pattern: String) -> Regex<AnyRegexOutput>? { (try? Regex(pattern))?.ignoresCase() }
            guard let line = expression(TypedAmount.line), let rest = expression(TypedAmount.rest),
                let unit = expression("(?:\(TypedAmount.unit))")
            else { return nil }
            (self.line, self.rest, self.unit) = (line, rest, unit)
        }

        func read(_ text: String) -> (amount: Substring, name: String)? {
            guard let match = (try? line.wholeMatch(in: text)) ?? nil,
                let amount = match["amount"]?.substring, let name = match["name"]?.substring
            else { return nil }
            // A sign stands behind a number, and `of` behind a unit.
            let hasUnit = amount.last.map { !TypedAmount.numbers.contains($0) } ?? false
            guard match[hasUnit ? "sign" : "of"]?.substring == nil else { return nil }
            // A unit alone is a name: `2 kg` has nothing else that could be one.
            let isRest = ((try? rest.prefixMatch(in: name)) ?? nil) != nil
            guard !isRest || ((try? unit.wholeMatch(in: name)) ?? nil) != nil else { return nil }
            return (amount, String(name))
        }
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
        + "|scheiben?|kisten?|kasten|tüten?|tafeln?|rollen?|zehen?|stangen?|netze?|gr|ltr|pck|pkts?|pkgs|doz|pfd|btls?|pc"
    /// A unit with the mark after it, such as `g.`.
    private static let marked = "(?:\(unit))[.,:;]?(?= |$)"
    /// `2 kg`, `500g` or `2`. A word may stand before the unit if `of` comes after it: `2 large cans of beans`.
    private static let amount = "\(number)(?: ?\(marked)| \\p{L}+ (?:\(unit))(?= of ))?"
    /// `2 x 500 g`, `2 lb 4 oz`, `2 x` and `2 cans of`, with the name behind them.
    private static let line =
        "(?<amount>\(amount)(?: ?[x×*] ?\(amount)| \(number) ?\(marked))*)(?<sign> ?[x×*](?= ))?(?<of> (?:of|de(?! l[aeo]s? | l['’])|di|von)(?= ))? (?<name>.+)"
    /// The beginnings of names that belong to the amount: signs, other numbers, units with a sign, words between two numbers, and
    /// short forms that are no known unit, such as `doz. eggs`.
    private static let rest =
        "[\\p{P}\\p{Sm}\\p{Sc}°]|\(amount)(?: |$)|(?![0-9]+\\p{L}[\\p{L}0-9]*(?: |$))[\(numbers)]"
        + "|(?:\(unit))(?![\\p{L}\\p{N}'’ ])|(?:\(unit))(?: |$)|(?:\(words))(?![\\p{L}\\p{N}'’-])|(?:d|dell)['’´]"
        + "|\\p{L}{1,5}\\. |\(word){1,2}\(number)(?! ?(?:%|(?:\(unit))$)|$)|[^ \(numbers)]{1,3} [\(numbers)]"
    /// A word before another number, such as `à` in `2 Dosen à 400 g Tomaten`.
    private static let word = "(?:[^ \(numbers)]+ )"
    private static let words =
        "or|to|and|of|plus|by|times|oder|bis|und|mal|von|x|each|per|je|pro|percent|pct|prozent|de|di|du|des|del|dei|dello|della"
        + "|delle|degli|in|at|à|á|zu|about|approx|circa|etwa"
}
