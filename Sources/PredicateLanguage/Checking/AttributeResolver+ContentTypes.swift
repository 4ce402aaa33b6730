// Uniform type identifiers in comparisons of content types.
// SPDX-License-Identifier: Apache-2.0

import ContentTypes
import Metadata

extension AttributeResolver {
    /// Replaces `==`, `!=`, IN, CONTAINS and a LIKE without wildcards by UTI operators, where a content type is compared
    /// with uniform type identifiers.
    ///
    /// An item's types are MIME types, which no identifier equals as text. `contentType == 'public.jpeg'` asks for the
    /// MIME type that means the same. An identifier that stands for several types, such as `public.image`, asks for any
    /// kind of it, and so does every identifier compared with `contentTypeTree`.
    static func comparingTypes(_ comparison: Comparison, at position: Int) -> PredicateNode.Kind {
        guard let texts = comparison.comparedTypes, texts.contains(where: { UniformType(identifier: $0.text) != nil })
        else { return .comparison(comparison) }
        let isTree = comparison.left.attribute == .contentTypeTree
        let left = Expression(.attribute(.contentType), at: comparison.left.position.offset)
        var parts: [PredicateNode] = []
        var others: [Expression] = []
        for (text, place) in texts {
            let literal = Expression(.constant(.string(text)), at: place)
            guard let type = UniformType(identifier: text) else {
                others.append(literal)
                continue
            }
            let operation: Comparison.Operator = isTree || type.mediaType == nil ? .conformsTo : .sameType
            let part = Comparison(left, operation, literal, operatorPosition: comparison.operatorPosition.offset)
            parts.append(PredicateNode(.comparison(part), at: position))
        }
        if !others.isEmpty {
            var rest = comparison
            if isTree { rest.quantifier = .any }
            rest.operation = .in
            rest.right = Expression(.array(others), at: comparison.right.position.offset)
            parts.append(PredicateNode(.comparison(rest), at: position))
        }
        let any = parts.count == 1 ? parts[0] : PredicateNode(.or(parts), at: position)
        let isNegated = comparison.operation == .notEqual || comparison.quantifier == Comparison.Quantifier.none
        return isNegated ? .not(any) : any.kind
    }
}

extension Comparison {
    /// The texts that it looks for among content types, with their places; nil for any other comparison.
    var comparedTypes: [(text: String, position: Int)]? {
        switch (left.attribute, quantifier, operation) {
        case (.contentType, nil, .equal), (.contentType, nil, .notEqual), (.contentType, nil, .in),
            (.contentType, nil, .like), (.contentTypeTree, nil, .contains):
            break
        case (.contentTypeTree, .any?, .equal), (.contentTypeTree, .any?, .in), (.contentTypeTree, .any?, .like),
            (.contentTypeTree, Quantifier.none?, .equal), (.contentTypeTree, Quantifier.none?, .in),
            (.contentTypeTree, Quantifier.none?, .like):
            break
        default: return nil
        }
        let elements = right.elements
        if operation == .in, elements.count == 1, right.constant != nil { return nil }
        var texts: [(text: String, position: Int)] = []
        for element in elements {
            guard case .string(let text) = element.constant, operation != .like || !text.hasWildcard else { return nil }
            texts.append((text, element.position.offset))
        }
        return texts
    }
}

extension String {
    /// Whether LIKE takes a character of it for others.
    var hasWildcard: Bool { utf8.contains(UInt8(ascii: "*")) || utf8.contains(UInt8(ascii: "?")) }
}
