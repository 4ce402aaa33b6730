// What is asked once.
// SPDX-License-Identifier: Apache-2.0

internal import GatherProtocol

/// A question that is answered once, as opposed to a live query.
package struct Search: Sendable, Hashable {
    /// What has to be true of an item; empty matches everything.
    package var predicate: String
    /// Where to look; empty means every container that the caller may read.
    package var scopes: [SearchScope]
    /// What is told of each item.
    package var attributes: [Attribute]
    /// The order; empty means none in particular.
    package var sort: [SortKey]
    /// The most items that are wanted.
    package var limit: Int?
    /// Whether the answer reflects every change made before the question.
    package var isSynchronized: Bool
    /// How long to wait for containers that are not exact yet; nil for the daemon's own patience.
    package var timeout: Duration?

    /// A question from its parts.
    package init(
        predicate: String, scopes: [SearchScope] = [], attributes: [Attribute] = MetadataQuery.defaultAttributes,
        sort: [SortKey] = [], limit: Int? = nil, isSynchronized: Bool = true, timeout: Duration? = nil
    ) {
        self.predicate = predicate
        self.scopes = scopes
        self.attributes = attributes
        self.sort = sort
        self.limit = limit
        self.isSynchronized = isSynchronized
        self.timeout = timeout
    }

    private var wireScopes: [String]? { scopes.isEmpty ? nil : scopes.map(\.wireText) }

    var findRequest: QueryInterface.Find.Request {
        QueryInterface.Find.Request(
            predicate: predicate, scopes: wireScopes, attributes: attributes.map(\.name),
            sort: sort.isEmpty
                ? nil : sort.map { GatherProtocol.SortKey(attribute: $0.attribute.name, ascending: $0.ascending) },
            limit: limit.map { Int64($0) }, sync: isSynchronized ? nil : false, timeout: timeout?.wholeMilliseconds)
    }

    var countRequest: QueryInterface.Count.Request {
        QueryInterface.Count.Request(
            predicate: predicate, scopes: wireScopes, sync: isSynchronized ? nil : false,
            timeout: timeout?.wholeMilliseconds)
    }

    func valuesRequest(_ attribute: Attribute) -> QueryInterface.Values.Request {
        QueryInterface.Values.Request(
            predicate: predicate, attribute: attribute.name, scopes: wireScopes, limit: limit.map { Int64($0) },
            sync: isSynchronized ? nil : false, timeout: timeout?.wholeMilliseconds)
    }

    var analysisRequest: QueryInterface.Explain.Request {
        QueryInterface.Explain.Request(predicate: predicate, scopes: wireScopes, analyze: true)
    }
}

/// Items that matched, and how far that can be relied on.
public struct FindResult: Sendable, Hashable {
    /// The items.
    public internal(set) var items: [MetadataItem]
    /// The containers for which the answer may be wrong, because they are degraded, unavailable or not read yet.
    public internal(set) var inexactContainers: [String]
    /// The clock of the answer.
    public internal(set) var clock: String
}

/// How many items matched, and how far that can be relied on.
public struct CountResult: Sendable, Hashable {
    /// The number.
    public let count: Int
    /// The containers for which the answer may be wrong, because they are degraded, unavailable or not read yet.
    public let inexactContainers: [String]
    /// The clock of the answer.
    public let clock: String

    init(_ reply: QueryInterface.Count.Reply) {
        count = Int(clamping: reply.count)
        inexactContainers = reply.inexact ?? []
        clock = reply.clock
    }
}

/// How the daemon understood a predicate.
public struct QueryExplanation: Sendable, Hashable {
    /// The predicate in its canonical form.
    public let canonical: String
    /// The attributes that it reads.
    public let attributes: [String]
    /// How the index answers it.
    public let plan: String
    /// What each step of the plan left, and how long it took, where that was asked for; else nil.
    public let steps: [QueryStep]?

    init(_ reply: QueryInterface.Explain.Reply) {
        steps = reply.steps?.map { QueryStep($0) }
        canonical = reply.canonical
        attributes = reply.attributes
        plan = reply.plan
    }
}

/// An attribute that predicates may name, in the daemon's words.
public struct AttributeSummary: Sendable, Hashable {
    /// What it is called.
    public let name: String
    /// The type of its values.
    public let type: String
    /// Other names that it answers to.
    public let aliases: [String]
    /// One sentence on what it tells.
    public let description: String

    init(_ attribute: AttributeDescription) {
        name = attribute.name
        type = attribute.type
        aliases = attribute.aliases
        description = attribute.description
    }
}
