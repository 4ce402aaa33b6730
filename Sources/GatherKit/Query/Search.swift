// A question with one answer.
// SPDX-License-Identifier: Apache-2.0

internal import GatherProtocol
internal import LinuxSystem

/// A question with one answer, unlike a live query.
package struct Search: Sendable, Hashable {
    /// The condition on items; empty matches everything.
    package var predicate: String
    /// The places to search; empty means every container that the caller may read.
    package var scopes: [SearchScope]
    /// The attributes to return of each item.
    package var attributes: [Attribute]
    /// The order; empty means no particular one.
    package var sort: [SortKey]
    /// The most items to return.
    package var limit: Int?
    /// How fresh the answer must be.
    package var freshness: Freshness
    /// The longest wait for containers that are not exact; nil for the daemon's default.
    package var timeout: Duration?

    /// Makes a question from its parts.
    package init(
        predicate: String, scopes: [SearchScope] = [], attributes: [Attribute] = MetadataQuery.defaultAttributes,
        sort: [SortKey] = [], limit: Int? = nil, freshness: Freshness = .afterFlush, timeout: Duration? = nil
    ) {
        self.predicate = predicate
        self.scopes = scopes
        self.attributes = attributes
        self.sort = sort
        self.limit = limit
        self.freshness = freshness
        self.timeout = timeout
    }

    /// The zone of the predicate's local times: that of this process.
    static var timeZone: String? { ZoneFiles.system.text }

    private var wireScopes: [String]? { scopes.isEmpty ? nil : scopes.map(\.wireText) }

    var findRequest: QueryInterface.Find.Request {
        QueryInterface.Find.Request(
            predicate: predicate, scopes: wireScopes, attributes: attributes.map(\.name),
            sort: sort.isEmpty
                ? nil : sort.map { SortKeyMessage(attribute: $0.attribute.name, ascending: $0.ascending) },
            limit: limit.map { Int64($0) }, sync: freshness.sync, timeout: timeout?.wholeMilliseconds,
            timeZone: Search.timeZone)
    }

    var countRequest: QueryInterface.Count.Request {
        QueryInterface.Count.Request(
            predicate: predicate, scopes: wireScopes, sync: freshness.sync,
            timeout: timeout?.wholeMilliseconds, timeZone: Search.timeZone)
    }

    func valuesRequest(_ attribute: Attribute) -> QueryInterface.Values.Request {
        QueryInterface.Values.Request(
            predicate: predicate, attribute: attribute.name, scopes: wireScopes, limit: limit.map { Int64($0) },
            sync: freshness.sync, timeout: timeout?.wholeMilliseconds, timeZone: Search.timeZone)
    }

    var analysisRequest: QueryInterface.Explain.Request {
        QueryInterface.Explain.Request(
            predicate: predicate, scopes: wireScopes, analyze: true, timeZone: Search.timeZone)
    }

    /// The request for the plan alone.
    static func explanationRequest(_ predicate: String) -> QueryInterface.Explain.Request {
        QueryInterface.Explain.Request(predicate: predicate, timeZone: Search.timeZone)
    }
}

/// The items that matched, with the containers for which they may be wrong.
public struct FindResult: Sendable, Hashable {
    /// The items.
    public internal(set) var items: [MetadataItem]
    /// The containers for which the answer may be wrong, because they are degraded, unavailable or not read yet.
    public internal(set) var inexactContainers: [ContainerIdentifier]
    /// The clock of the answer.
    public internal(set) var clock: DaemonClock
}

/// The number of items that matched, with the containers for which it may be wrong.
public struct CountResult: Sendable, Hashable {
    /// The number of items.
    public let count: Int
    /// The containers for which the answer may be wrong, because they are degraded, unavailable or not read yet.
    public let inexactContainers: [ContainerIdentifier]
    /// The clock of the answer.
    public let clock: DaemonClock

    init(_ reply: QueryInterface.Count.Reply) {
        count = Int(clamping: reply.count)
        inexactContainers = [ContainerIdentifier](inexact: reply.inexact)
        clock = DaemonClock(rawValue: reply.clock)
    }
}

/// The meaning and the plan of a predicate.
public struct QueryExplanation: Sendable, Hashable {
    /// The predicate in its canonical form.
    public let canonical: String
    /// The attributes that it reads.
    public let attributes: [String]
    /// The plan for the index.
    public let plan: String
    /// The steps of the plan with their measurements, if requested; else nil.
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
    /// The attribute's name.
    public let name: String
    /// The type of its values.
    public let type: String
    /// The other names of the attribute.
    public let aliases: [String]
    /// One sentence on the attribute's meaning.
    public let description: String

    /// The attributes of this version.
    package static var all: [AttributeSummary] {
        AttributeDescription.all.map { AttributeSummary($0) }
    }

    init(_ attribute: AttributeDescription) {
        name = attribute.name
        type = attribute.type
        aliases = attribute.aliases
        description = attribute.description
    }
}
