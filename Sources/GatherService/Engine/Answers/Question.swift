// The common part of Find, Count and Watch: a predicate, its scopes, and the attributes to return.
// SPDX-License-Identifier: Apache-2.0

import ContentTypes
import GatherProtocol
import LiveQueries
import Metadata
import MetadataIndex
import PredicateLanguage
import Varlink

/// A question as it was asked, understood.
struct Question: Sendable {
    let predicate: Predicate
    /// The attributes that the predicate reads, and whether its answer follows the clock: found out once, since it may
    /// have ten thousand parts.
    private let predicateAttributes: Set<Attribute>
    let followsClock: Bool
    /// Whether it is unknown when its answer changes with the clock, so that a live one is asked again every few
    /// seconds.
    let isAskedAgain: Bool
    /// The scopes as they were written; nil for every container.
    let scopeTexts: [String]?
    let attributes: AttributeSet
    /// The caller; nil for one who sees everything.
    let caller: Credentials?
    /// The text that it was read from, if it has local times: that is read anew when its zone gets other rules.
    let source: Source?
    /// How long it takes to plan its predicate, as that of so many bytes.
    let planningBytes: Int
    /// The fingerprint of the question: see ``QueryClock``, and ``Engine/fingerprint(of:names:)``.
    let fingerprint: UInt64
    /// The user and groups of the caller, in one number.
    let callerFingerprint: UInt64
    /// Plans that were made beforehand, for no caller, by the number of their container: those of a predicate that is
    /// too long to be planned on the event loop.
    var plans: [UInt32: QueryPlan] = [:]
    /// The plan for one of the containers of a question that waits for its turn. One for each would be too much to
    /// keep: a thousand containers may wait with each of hundreds of questions.
    var compiled: QueryPlan?

    /// The text that a question was read from.
    struct Source: Sendable {
        let predicate: String
        let attributes: [String]?
        let timeZone: String?
        let peer: PeerCredentials
    }

    /// Parses a question, or throws its fault as an error of the interface.
    init(
        predicate text: String, scopes: [String]?, attributes names: [String]?, timeZone: String?,
        peer: PeerCredentials, caller: Credentials?, types: ContentTypeDatabase, zones: TimeZones
    ) throws(QueryError) {
        self.caller = caller
        // Before they are sorted: a request has room for a hundred thousand.
        guard scopes?.count ?? 0 <= Limits.scopes else {
            throw .limitExceeded(limit: "scopes", value: Int64(Limits.scopes))
        }
        let zone = zones.zone(timeZone)
        predicate = try Question.parse(text, zone ?? .process, types)
        // A caller whose zone is not known here may ask everything else.
        if predicate.zone != nil, zone == nil { throw .unknownTimeZone(timeZone ?? "") }
        source =
            predicate.zone == nil
            ? nil : Source(predicate: text, attributes: names, timeZone: timeZone, peer: peer)
        predicateAttributes = predicate.attributes
        let asksForTypes = predicateAttributes.contains { $0 == .contentType || $0 == .contentTypeTree }
        planningBytes =
            text.utf8.count + (asksForTypes ? predicate.typeComparisons * Limits.planningBytesOfType : 0)
        followsClock = predicate.followsClock
        isAskedAgain = predicate.isAskedAgain
        scopeTexts = scopes
        attributes = try names.map(Question.attributes) ?? AttributeSet(QueryInterface.defaultAttributes)
        try Question.checkExtended(attributes.union(AttributeSet(predicateAttributes)))
        var fingerprint = Fingerprint()
        fingerprint.combine(predicate.canonical)
        // The order of scopes, and one named twice, make no other question.
        for scope in Set(scopes ?? ["*"]).sorted() { fingerprint.combine(scope) }
        for attribute in attributes.attributes { fingerprint.combine(attribute.name) }
        var callerFingerprint = Fingerprint()
        callerFingerprint.combine("\(peer.userID)")
        // With other groups the same user sees other items.
        for group in caller?.groups ?? [] { callerFingerprint.combine("group \(group)") }
        self.callerFingerprint = callerFingerprint.value
        fingerprint.combine("\(callerFingerprint.value)")
        // With another database of types the same item may match no more.
        if predicateAttributes.contains(where: { $0 == .contentType || $0 == .contentTypeTree }) {
            fingerprint.combine("types \(types.fingerprint)")
        }
        // In another zone the same text has other dates.
        if let zone = predicate.zone { fingerprint.combine("zone \(zone.fingerprint)") }
        self.fingerprint = fingerprint.value
    }

    /// Returns the question with the present rules of its time zone; nil if that is unknown now.
    func readAnew(types: ContentTypeDatabase, zones: TimeZones) -> Question? {
        guard let source else { return nil }
        return try? Question(
            predicate: source.predicate, scopes: scopeTexts, attributes: source.attributes, timeZone: source.timeZone,
            peer: source.peer, caller: caller, types: types, zones: zones)
    }

    /// Whether its answer depends on the database of content types.
    var dependsOnTypes: Bool {
        predicateAttributes.contains { $0 == .contentType || $0 == .contentTypeTree }
            || attributes.contains(.contentType) || attributes.contains(.contentTypeTree)
    }

    /// Whether answering it takes extended attributes of files, or where links lead.
    var readsXattrs: Bool { attributes.containsXattrs || predicateAttributes.contains(where: \.isExtra) }

    /// Whether telling its items takes the names of users or groups.
    var tellsAccounts: Bool { attributes.contains(.owner) || attributes.contains(.group) }

    /// Whether finding its items does.
    var readsAccounts: Bool { predicateAttributes.contains(.owner) || predicateAttributes.contains(.group) }

    /// Whether a subscriber's results depend on the names of users or groups.
    var dependsOnAccounts: Bool { tellsAccounts || readsAccounts }

    /// Whether it depends on the numbers of devices.
    var dependsOnDevices: Bool { attributes.contains(.device) || predicateAttributes.contains(.device) }

    private static func parse(
        _ text: String, _ zone: LocalZone, _ types: ContentTypeDatabase
    ) throws(QueryError) -> Predicate {
        do {
            return try Predicate(parsing: text, mode: .metadata, zone: zone, types: types)
        } catch {
            throw .invalidPredicate(message: error.message, position: Int64(error.position))
        }
    }

    static func attribute(_ name: String) throws(QueryError) -> Attribute {
        guard let attribute = Attribute(name: name) else { throw .unknownAttribute(name) }
        return attribute
    }

    private static func attributes(_ names: [String]) throws(QueryError) -> AttributeSet {
        var set = AttributeSet()
        for name in names {
            set.insert(try attribute(name))
            try checkExtended(set)
        }
        return set
    }

    /// Each extended attribute that is asked for by its own name is looked for in each item.
    private static func checkExtended(_ attributes: AttributeSet) throws(QueryError) {
        guard attributes.extended.count <= Limits.extendedAttributes else {
            throw .limitExceeded(limit: "extended attributes", value: Int64(Limits.extendedAttributes))
        }
    }
}
