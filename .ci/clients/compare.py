"""Compares what SDKs made of answers (JSON Lines of sdk.py or sdk.mjs) and says where they differ.

usage: compare.py DIRECT OTHER HOW          both must be equal; HOW says how the other answers were had
       compare.py tape PROXIED EXODECK TAPE what exodeck reads on the tape must be what the SDKs read
"""

import json
import subprocess
import sys


def read(path):
    with open(path, encoding="utf-8") as f:
        return [json.loads(line) for line in f]


def differ(what, want, got):
    sys.exit(f"{what} differ:\n  {json.dumps(want, ensure_ascii=False)}\n  {json.dumps(got, ensure_ascii=False)}")


def same(direct, other, how):
    if len(direct) != len(other):
        differ("numbers of answers", len(direct), len(other))
    for want, got in zip(direct, other):
        if want != got:
            differ(f"an answer had directly and one had {how}", want, got)
    print(f"{len(direct)} answers are the same directly and {how}")


def recorded(exodeck, tape):
    """What exodeck reads of each model call on the tape, in the order of the calls."""
    listing = subprocess.run([exodeck, "tape", "ls", "--tape", tape, "--format", "json"], capture_output=True, check=True)
    for line in listing.stdout.splitlines():
        x = json.loads(line)
        seen = {"model": x["model"], "api": x["api"]}
        if x["status"] != 200:
            yield {**seen, "error": x["status"]}  # a whole answer, also where a stream was asked for
            continue
        show = [exodeck, "tape", "show", "--tape", tape, "--raw", f"{x['session']}/{x['seq']}"]
        raw = subprocess.run(show, capture_output=True, check=True).stdout
        parse = [exodeck, "parse", "--api", x["api"]] + ["--stream"] * x["stream"]
        # Behind the two heads and the request body; no body here holds such a line.
        body = raw.split(b"\r\nHTTP/1.1 200 ", 1)[1].split(b"\r\n\r\n", 1)[1]
        answer = json.loads(subprocess.run(parse, input=body, capture_output=True, check=True).stdout)
        calls = [{"name": c["name"], "arguments": json.loads(c["arguments"])} for c in answer["tool_calls"]]
        yield {**seen, "stream": x["stream"], "finish": answer["finish_reason"], "text": answer["text"], "calls": calls}


def on_tape(sdk, exodeck, tape):
    seen = list(recorded(exodeck, tape))
    if len(seen) != len(sdk):
        differ("numbers of exchanges", len(sdk), len(seen))
    for want, got in zip(sdk, seen):
        known = {k: v for k, v in want.items() if k in got}
        if known != got:
            differ("what the SDK read and what exodeck reads on the tape", want, got)
    calls = sum(len(r.get("calls", [])) for r in sdk)
    print(f"exodeck reads the same {calls} tool calls on the tape")


def main(args):
    if args[0] == "tape":
        on_tape(read(args[1]), args[2], args[3])
    else:
        same(read(args[0]), read(args[1]), args[2])


main(sys.argv[1:])
