// Reading Syncthing's configuration file.
// SPDX-License-Identifier: Apache-2.0

import Syncthing
import Testing

@Suite struct SyncthingConfigurationTests {
    /// The form that Syncthing 1.19.2 writes, shortened.
    private func document(gui: String) -> String {
        """
        <configuration version="36">
            <folder id="default" label="A &amp; B" path="/root/Sync" type="sendreceive">
                <minDiskFree unit="%">1</minDiskFree>
            </folder>
            <device id="ZPIJWQ3" name="vm"><address>dynamic</address></device>
            \(gui)
            <ldap></ldap>
            <options><listenAddress>default</listenAddress></options>
            <defaults><device id=""><address>elsewhere</address></device></defaults>
        </configuration>
        """
    }

    private func parse(_ text: String) throws(SyncthingError) -> SyncthingConfiguration {
        try SyncthingConfiguration(parsing: Array(text.utf8), file: "config.xml")
    }

    private func message(_ text: String) -> String {
        do throws(SyncthingError) {
            return "no error: \(try parse(text).address)"
        } catch {
            guard case .configuration("config.xml", let message) = error else { return "another error: \(error)" }
            return message
        }
    }

    @Test(arguments: [
        ("127.0.0.1:8384", SyncthingAddress.loopback(host: "127.0.0.1", port: 8384)),
        ("localhost:80", .loopback(host: "127.0.0.1", port: 80)),
        ("0.0.0.0:8384", .loopback(host: "127.0.0.1", port: 8384)),
        (":8384", .loopback(host: "127.0.0.1", port: 8384)),
        ("[::1]:8384", .loopback(host: "::1", port: 8384)),
        ("/run/st/sock", .unix(path: "/run/st/sock")),
        ("unix:///run/st/sock", .unix(path: "/run/st/sock")),
    ]) func addressesOfThisMachineAreFound(text: String, address: SyncthingAddress) throws {
        let configuration = try parse(
            document(gui: "<gui enabled=\"true\"><address>\(text)</address>\n<apikey>k&#101;y</apikey></gui>"))
        #expect(configuration == SyncthingConfiguration(address: address, key: "key"))
    }

    @Test(arguments: [
        "192.168.0.7:8384", "example.org:80", "127.0.0.1", "127.0.0.1:0", "127.0.0.1:65536", "", "rel/path",
    ])
    func addressesElsewhereAreRefused(text: String) {
        let message = message(document(gui: "<gui><address>\(text)</address><apikey>key</apikey></gui>"))
        #expect(message.hasPrefix("the address '\(text)' of <gui> is not on this machine"), "\(message)")
    }

    @Test func encryptionIsRefusedOnAPortOnly() throws {
        let port = "<gui tls=\"true\"><address>127.0.0.1:1</address><apikey>key</apikey></gui>"
        #expect(message(document(gui: port)).hasPrefix("<gui tls=\"true\"> is not supported"))
        let path = "<gui tls=\"true\"><address>/s</address><apikey>key</apikey></gui>"
        #expect(try parse(document(gui: path)).address == .unix(path: "/s"))
    }

    @Test func interfaceThatIsOffIsRefused() {
        let off = "<gui enabled=\"false\"><address>/s</address><apikey>key</apikey></gui>"
        #expect(message(document(gui: off)).contains("is off"))
    }

    /// A key with a line end would add a header to each request.
    @Test(arguments: ["", "a b", "a&#10;b", "a&#13;&#10;X: y", "ü"]) func unusableKeysAreRefused(key: String) {
        let message = message(document(gui: "<gui><address>/s</address><apikey>\(key)</apikey></gui>"))
        #expect(message == "<gui> has no usable <apikey>")
    }

    @Test func commentsAndCharacterDataAreRead() throws {
        let gui = "<!-- <gui> --><gui><address><![CDATA[/a&b]]></address><apikey>k<!-- x -->y</apikey></gui>"
        #expect(try parse(document(gui: gui)) == SyncthingConfiguration(address: .unix(path: "/a&b"), key: "ky"))
    }

    @Test(arguments: [
        ("", "no element found"), ("<", "unclosed token"), ("<configuration>", "no element found"),
        ("<configuration/>", "<configuration> has no <gui>"), ("<other><gui/></other>", "<configuration> has no <gui>"),
        ("<a></b>", "mismatched tag"), ("<a/><b/>", "junk after document element"),
        ("x<a/>", "not well-formed (invalid token)"),
        ("<a>&unknown;</a>", "undefined entity"), ("<a>&#xD800;</a>", "reference to invalid character number"),
        ("<a>&amp</a>", "not well-formed (invalid token)"),
        ("<!DOCTYPE a [<!ENTITY b \"c\">]><a>&b;</a>", "a document type is not allowed"),
        ("<a b=c/>", "not well-formed (invalid token)"), ("<a b=\"c/>", "unclosed token"),
        ("<a b='1' b='2'/>", "duplicate attribute"), ("<a b='1'c='2'/>", "not well-formed (invalid token)"),
        ("<!-- ", "unclosed token"), ("<a><![CDATA[", "unclosed CDATA section"), ("<?xml", "unclosed token"),
        ("<a>\u{1}</a>", "not well-formed (invalid token)"),
    ]) func damagedFilesAreRefused(text: String, expected: String) {
        #expect(message(text) == "line 1: \(expected)")
    }

    @Test func lineOfADamageIsTold() { #expect(message("<a>\n\n</b>\n").hasPrefix("line 3:")) }

    @Test func deepNestingIsRefused() {
        let deep = String(repeating: "<a>", count: 100_000)
        #expect(message(deep) == "line 1: nested too deeply")
    }

    @Test func textThatIsNotUTF8IsRefused() {
        #expect(throws: SyncthingError.configuration(file: "f", message: "line 1: not well-formed (invalid token)")) {
            try SyncthingConfiguration(parsing: [0x3C, 0x61, 0x3E, 0xFF, 0x3C], file: "f")
        }
    }

    /// Every prefix of a good file is an error, not a trap.
    @Test func everyCutOffFileIsRefused() {
        let text = Array(document(gui: "<gui a='1'><address>/s</address><apikey>key</apikey></gui>").utf8)
        for length in 0..<text.count - 1 {
            #expect(throws: SyncthingError.self, "\(length) bytes") {
                try SyncthingConfiguration(parsing: Array(text[..<length]), file: "f")
            }
        }
    }

    @Test func missingFileIsAnError() {
        #expect(
            throws: SyncthingError.configuration(file: "/nowhere/config.xml", message: "No such file or directory")
        ) {
            try SyncthingConfiguration(file: "/nowhere/config.xml")
        }
    }
}
