# Prints what a subscriber holds to be its answer: the paths of the first answer and of all changes, applied in order.
# The input is what `gather watch --json` printed; a last line without its end is still being written.
# SPDX-License-Identifier: Apache-2.0
import json
import sys

answer = {}
with open(sys.argv[1], encoding="utf-8") as lines:
    for line in lines:
        if not line.endswith("\n"):
            break
        event = json.loads(line)
        kind = event["event"]
        if kind == "started":
            answer.clear()
        elif kind in ("result", "added", "changed"):
            answer[event["item"]["id"]] = event["item"]["path"]
        elif kind == "removed":
            answer.pop(event["id"], None)
print("\n".join(sorted(answer.values())))
