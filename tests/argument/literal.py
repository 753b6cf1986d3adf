"""A second, deliberately literal transcription of the rules, over plain dictionaries.

Written from the pseudo-code line by line, sharing nothing with `audit.argument.verdict`: it is the
oracle that random inputs hold the real function against. Keep it ugly and close to the text.
"""

# ruff: noqa: SIM102, SIM300 - as the text says it, not as one would write it

REACH = ["test", "work", "deployment"]


def gone(c, adjusted=False):
    L, U = (c["L_adj"], c["U_adj"]) if adjusted else (c["L"], c["U"])
    return L is None or U is None or L != L or U != U


def judge(c, adjusted, lo, hi):
    if gone(c, adjusted):
        return "undetermined"
    L, U = (c["L_adj"], c["U_adj"]) if adjusted else (c["L"], c["U"])
    L, U, m = L + lo, U + hi, c["m"]
    is_in = -m < L and U < m
    is_out = L > m or U < -m
    if c["form"] == "above":
        if L > m:
            return "met"
        if U < m:
            return "failed"
    if c["form"] == "within":
        if is_in:
            return "met"
        if is_out:
            return "failed"
    if c["form"] == "outside":
        if is_out:
            return "met"
        if is_in:
            return "failed"
    return "undetermined"


def status(c, T):
    lo = sum(t["bounds"].get(c["id"], (0, 0))[0] for t in T)
    hi = sum(t["bounds"].get(c["id"], (0, 0))[1] for t in T)
    s = judge(c, False, lo, hi)
    if s == "failed":
        return "failed" if judge(c, True, lo, hi) == "failed" else "undetermined"
    block = c["role"] == "guard" and c["policy"] == "block"
    if block and judge(c, False, lo, hi) == "undetermined":
        return "met"
    return s


def overall(S, T):
    st = [status(c, T) for c in S["crits"]]
    if "failed" in st:
        return "failed"
    if "undetermined" in st:
        return "undetermined"
    return "met"


def unfit(S):
    if not [c for c in S["crits"] if c["role"] == "primary"]:
        return True
    return bool([c for c in S["crits"] if c["role"] == "guard" and c["severe"] and gone(c)])


def lowest(own, caps):
    return REACH[min([REACH.index(own)] + [REACH.index(c[1]) for c in caps if c[1]])]


def verdict(x):
    """(word, reach, scope, number of grounds): the last three as far as the text defines them."""
    at = REACH.index(x["reach"])
    if x["gates"] or unfit(x):
        return ("insufficient_evidence", None, None)
    if x["reach"] == "deployment" and x["deployment"] == "discordant" and x["independent"]:
        return ("not_supported", "deployment", None)
    E = [t for t in x["threats"] if t["affects"] == "estimate"]
    full = [t for t in E if t["state"] == "bounded"]
    hard = [t for t in full if t["condition"] is None]
    bad, cap = [], []
    for t in E:
        if t["state"] == "open":
            bad.append(t["code"])
        if t["state"] == "not_assessed" and t["needed_from"] == "test":
            bad.append(t["code"])
        if t["state"] == "not_assessed" and t["needed_from"] in ("work", "deployment"):
            n = REACH.index(t["needed_from"])
            if n <= at:
                cap.append((t["code"], REACH[n - 1]))
    if x["revision"] == "unresolved":
        bad.append("revision")
    if x["revision"] == "matches_target":
        cap.append(("revision", None))
    if x["replication"] == "cause_unknown":
        bad.append("replication")
    if x["replication"] in ("partial", "cause_known"):
        cap.append(("replication", None))
    if x["reach"] == "deployment":
        if not (x["deployment"] == "concordant" and x["independent"]):
            cap.append(("outcomes", "work"))
    if at >= 1 and x["config"] in ("differs", "unknown"):
        cap.append(("config", "test"))
    if x["timing"] == "after":
        cap.append(("timing", None))
    if x["selected"]:
        cap.append(("selected", None))
    for code in x["caps"]:
        cap.append((code, None))
    for S in [x, x["subset"]]:
        if S is None:
            continue
        if S is not x and unfit(S):
            continue
        if overall(S, []) != "met":
            continue
        b, k = list(bad), list(cap)
        if x["reach"] == "deployment" and x["deployment"] == "discordant":
            b.append("discordant")
        if x["reach"] == "deployment" and S is not x:
            k.append(("subset outcomes", "work"))
        if S["multiverse"] == "unstable":
            b.append("unstable")
        if S["multiverse"] == "conditional":
            k.append(("conditional", None))
        blocks = [c for c in S["crits"] if c["role"] == "guard" and c["policy"] == "block"]
        if at >= 1 and [c for c in blocks if gone(c)]:
            k.append(("guard gone", "test"))
        if S is not x:
            for t in full:
                for c in S["crits"]:
                    if tuple(t["bounds"].get(c["of"], (0, 0))) != (0, 0):
                        if c["id"] not in t["bounds"]:
                            b.append("no bound for the twin")
        if overall(S, hard) != "met":
            b.append("hard")
        elif overall(S, full) != "met":
            k.append(("conditions", None))
        if not b:
            if S is x and not k:
                return ("supported", x["reach"], ())
            return ("narrowed", lowest(x["reach"], k), () if S is x else S["scope"])
    s = overall(x, [])
    if s != "failed":
        return ("insufficient_evidence", None, None)
    if x["multiverse"] in ("conditional", "unstable"):
        bad.append("multiverse")
    if overall(x, full) != "failed":
        bad.append("bounds")
    if x["reach"] == "deployment" and x["deployment"] == "concordant" and x["independent"]:
        bad.append("concordant")
    if bad:
        return ("insufficient_evidence", None, None)
    return ("not_supported", lowest(x["reach"], cap), None)
