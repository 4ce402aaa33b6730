// A scope names a container, a part of it, or a directory in it.
// SPDX-License-Identifier: Apache-2.0

import FileWatching
import GatherProtocol
import LiveQueries
import Metadata
import Testing

@testable import GatherService

struct ScopeResolverTests {
    private struct NoAccess: AccessSource {
        func directoriesAbove(_ number: UInt32) -> [FileAccess]? { nil }
        func state(of number: UInt32) -> WatchState? { .live }
    }

    private let resolver: ScopeResolver

    init() throws {
        var containers = ContainerSet()
        for (identifier, path) in [("outer", "/none/a"), ("inner", "/none/a/x"), ("other", "/nonetheless")] {
            let configuration = try ContainerConfiguration(identifier: identifier, path: path, origin: .runtime)
            containers.insert(ContainerRecord(number: containers.makeNumber(), configuration: configuration))
        }
        let access = AccessControl(tellsCallersApart: true, source: NoAccess())
        resolver = ScopeResolver(containers: containers, access: access) { $0 == 1 ? "/real" : nil }
    }

    /// A caller who sees no container.
    private static let stranger = Credentials(user: 3_999_999_999, groups: [])

    private func places(_ scopes: [String]?, for caller: Credentials? = nil) throws -> [String: [QueryScope]] {
        let found = try resolver.resolve(scopes, for: caller)
        return Dictionary(uniqueKeysWithValues: found.map { ($0.record.identifier, $0.scopes) })
    }

    @Test func withoutScopesEveryContainerCountsThatIsOpen() throws {
        #expect(try places(nil) == ["outer": [.whole], "inner": [.whole], "other": [.whole]])
        #expect(try places(nil, for: Self.stranger).isEmpty)
    }

    @Test(
        arguments: [
            ("outer", "outer", .whole), ("outer/Documents", "outer", .documents), ("outer/Data", "outer", .data),
            ("/none/a", "outer", .whole), ("/none/a/b/c", "outer", .directory(Array("b/c".utf8))),
            ("/none//a/./b", "outer", .directory(Array("b".utf8))), ("/none/a/x", "inner", .whole),
            ("/none/a/x/b", "inner", .directory(Array("b".utf8))),
            ("/none/a/xyz", "outer", .directory(Array("xyz".utf8))), ("/real/b", "outer", .directory(Array("b".utf8))),
            ("file:///none/a/%FF", "outer", .directory([0xFF])),
        ] as [(String, String, QueryScope)])
    func aScopeIsInTheInnermostContainer(text: String, container: String, scope: QueryScope) throws {
        #expect(try places([text]) == [container: [scope]])
    }

    @Test func scopesOfOneContainerAreTogether() throws {
        #expect(
            try places(["other", "/none/a/b", "outer/Data"])
                == ["other": [.whole], "outer": [.directory(Array("b".utf8)), .data]])
    }

    @Test(arguments: ["nobody", "outer/Other", "outer/Data/b", "/none/b", "/none/ab", "relative/b", "/none/a/.."])
    func otherScopesAreUnknown(text: String) {
        #expect(throws: QueryError.self) { try places(["outer", text]) }
    }

    @Test func containersBelowAnUnknownDirectoryAreNamed() {
        do {
            _ = try resolver.resolve(["/none"], for: nil)
            Issue.record("it is no scope")
        } catch {
            guard case .unknownScope("/none", let containers) = error else {
                Issue.record("\(error)")
                return
            }
            #expect(containers == ["inner", "outer"])
        }
    }

    @Test func aContainerThatACallerDoesNotSeeIsUnknown() {
        for text in ["outer", "/none/a"] {
            #expect(throws: QueryError.self) { try places([text], for: Self.stranger) }
        }
    }

    @Test func scopesHaveLimits() throws {
        func limit(_ scopes: [String]) -> String? {
            do {
                _ = try resolver.resolve(scopes, for: nil)
                return nil
            } catch {
                guard case .limitExceeded(let limit, _) = error else { return "\(error)" }
                return limit
            }
        }
        #expect(limit(Array(repeating: "outer", count: Limits.scopes)) == nil)
        #expect(limit(Array(repeating: "outer", count: Limits.scopes + 1)) == "scopes")
        #expect(limit([String(repeating: "x", count: Limits.scopeBytes + 1)]) == "scopeBytes")
    }

    @Test func theScopesOfOneContainerAreFoundAgain() throws {
        let inner = try #require(resolver.containers.named("inner"))
        #expect(resolver.scopes(of: nil, in: inner)?.scopes == [.whole])
        #expect(resolver.scopes(of: ["outer", "/none/a/x/b"], in: inner)?.scopes == [.directory(Array("b".utf8))])
        #expect(resolver.scopes(of: ["outer"], in: inner) == nil)
    }
}
