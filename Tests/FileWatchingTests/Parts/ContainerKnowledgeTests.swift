// How far the tree has the entries of a container.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import FileWatching

@Suite struct ContainerKnowledgeTests {
    @Test func aNewContainerIsWholeWhenItsFirstCrawlHasEnded() {
        var knowledge = ContainerKnowledge()
        knowledge.beginFirstCrawl(7)
        #expect(knowledge.firstCrawl == 7 && !knowledge.isWhole)
        knowledge.endCrawl(6)
        #expect(knowledge.firstCrawl == 7, "another crawl has ended")
        knowledge.endCrawl(7)
        #expect(knowledge.firstCrawl == nil && !knowledge.isWhole, "its root may not have been read")
        knowledge.noteRead()
        #expect(knowledge.isWhole && !knowledge.isOld)
    }

    @Test func knowledgeFromBeforeIsVerifiedOrGoneOnWith() {
        var (verified, continued) = (ContainerKnowledge(isOld: true), ContainerKnowledge(isOld: true))
        #expect(verified.isOld && !verified.isWhole)
        verified.verify()
        #expect(!verified.isOld && verified.isWhole && !verified.isResumed)
        continued.resume()
        #expect(!continued.isOld && continued.isWhole && continued.isResumed)
        continued.lose()
        #expect(continued.isOld && !continued.isWhole && !continued.isResumed)
    }

    @Test func entriesAreDetachedOnceAndOnlyWhereTheyAreOld() {
        var knowledge = ContainerKnowledge()
        var detaches = [knowledge.detachAll()]
        knowledge.beginFirstCrawl(1)
        knowledge.lose()
        #expect(knowledge.firstCrawl == nil)
        detaches += [knowledge.detachAll(), knowledge.detachAll()]
        #expect(detaches == [false, true, false] && knowledge.isDetached)
        knowledge.comeBack(isOld: false)
        #expect(!knowledge.isDetached && !knowledge.isOld)
        knowledge.lose()
        let detachesAgain = knowledge.detachAll()
        #expect(detachesAgain)
        knowledge.comeBack(isOld: true)
        #expect(knowledge.isOld)
    }
}
