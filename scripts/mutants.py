#!/usr/bin/env python3
"""Mistakes planted in sound games, and how many of them `ludex check --deep` finds.

    scripts/mutants.py [--games a,b,...] [--each N] [--seed S] [--time S] [--ludex PATH] [--list] [--second]

Each mutant is a game with one change of one kind: a misspelt name, a wrong number of arguments, a condition or clause
left out, variables or roles exchanged, a `not` or `distinct` left out, a number off by one, facts turned round. With
--second the kinds are others: a condition negated or taken from another rule, a rule for the wrong role, the turn that
stays, a fact that leads elsewhere, an effect on another place, a clause said twice with one word changed. It is
*found* if there is any finding that the sound game does not have, and *named* if one of them points to the clause that
was changed, to one with the same head, or lists its line. Some changes leave the game the same, or sound but another
game: they count as not found.
"""

import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile

GAMES = "tictactoe,connectfour4x4,nim,minicheckers,pursuit,breakthrough,threeway"
KEYWORDS = {"role", "init", "true", "does", "legal", "next", "terminal", "goal", "not", "or", "and", "distinct", "<="}


def read(text):
    """The clauses of a KIF text, as nested lists of tokens."""
    tokens = re.findall(r";[^\n]*|[()]|[^\s()]+", text)
    stack = [[]]
    for token in tokens:
        if token.startswith(";"):
            continue
        if token == "(":
            stack.append([])
        elif token == ")":
            done = stack.pop()
            stack[-1].append(done)
        else:
            stack[-1].append(token)
    return stack[0]


def show(term):
    return term if isinstance(term, str) else "(" + " ".join(show(part) for part in term) + ")"


def write(clauses):
    return "".join(show(clause) + "\n" for clause in clauses)


def places(term, path=()):
    yield path, term
    if isinstance(term, list):
        for at, part in enumerate(term):
            yield from places(part, path + (at,))


def replace(term, path, new):
    if not path:
        return new
    copy = list(term)
    copy[path[0]] = replace(copy[path[0]], path[1:], new)
    return copy


def head(clause):
    return clause[1] if isinstance(clause, list) and clause[:1] == ["<="] else clause


def key(clause):
    """What a clause is about: its relation, and for fluents and moves their name."""
    atom = head(clause)
    if isinstance(atom, str):
        return (atom,)
    inner = {"next": 1, "init": 1, "legal": 2}.get(atom[0])
    name = atom[inner] if inner and len(atom) > inner else ""
    return (atom[0], name[0] if isinstance(name, list) else name if atom[0] != "legal" else name)


def misspell(name, rng):
    if len(name) < 3:
        return name + name[-1]
    at = rng.randrange(1, len(name) - 1)
    way = rng.randrange(3)
    if way == 0:
        return name[:at] + name[at + 1 :]
    if way == 1:
        return name[:at] + name[at] + name[at:]
    return name[:at] + name[at + 1] + name[at] + name[at + 2 :]


def mutants_of(clauses, rng):
    """Kind, index of the clause, the new clause (or None if it is left out)."""
    roles = [clause[1] for clause in clauses if isinstance(clause, list) and clause[0] == "role"]
    for index, clause in enumerate(clauses):
        rule = isinstance(clause, list) and clause[0] == "<="
        relation = key(clause)[0]
        if relation in ("role", "base", "input"):
            continue
        if rule or relation == "init":
            what = {"init": "initial fact", "next": "next rule", "legal": "legal rule", "goal": "goal rule"}
            yield f"without a {what.get(relation, 'terminal rule' if relation == 'terminal' else 'helper rule')}", index, None
        elif relation not in KEYWORDS:
            yield "without a fact", index, None
            if isinstance(clause, list) and len(clause) == 3:
                yield "fact turned round", index, [clause[0], clause[2], clause[1]]
        if rule:
            for at in range(2, len(clause)):
                condition = clause[at]
                name = condition[0] if isinstance(condition, list) else condition
                rest = clause[:at] + clause[at + 1 :]
                if len(rest) > 2:
                    kind = {"distinct": "without distinct", "not": "without a negated condition", "true": "without a condition on the state", "does": "without a condition on a move"}
                    yield kind.get(name, "without a condition"), index, rest
                if name == "not":
                    yield "without not", index, clause[:at] + [condition[1]] + clause[at + 1 :]
        for path, term in places(clause):
            parent = clause
            for step in path[:-1]:
                parent = parent[step]
            if isinstance(term, str) and path and term not in KEYWORDS:
                first = path[-1] == 0
                if term.startswith("?"):
                    others = sorted({t for _, t in places(clause) if isinstance(t, str) and t.startswith("?") and t != term})
                    if others and path[0] >= 2:
                        yield "another variable", index, replace(clause, path, rng.choice(others))
                    if sum(t == term for _, t in places(clause)) > 2 or path[0] < 2:
                        yield "misspelt variable", index, replace(clause, path, "?" + misspell(term[1:], rng))
                    yield "variable without ?", index, replace(clause, path, term[1:])
                elif first:
                    yield "misspelt fluent, move or relation", index, replace(clause, path, misspell(term, rng))
                elif re.fullmatch(r"\d+", term):
                    if rule and relation != "goal":
                        yield "off by one", index, replace(clause, path, str(int(term) + 1))
                    if relation == "goal":
                        yield "wrong goal value", index, replace(clause, path, "0" if term != "0" else "100")
                elif term in roles:
                    yield "another role", index, replace(clause, path, rng.choice([r for r in roles if r != term] or [term]))
                    yield "misspelt constant", index, replace(clause, path, misspell(term, rng))
                else:
                    yield "misspelt constant", index, replace(clause, path, misspell(term, rng))
            elif isinstance(term, list) and path and term[0] not in KEYWORDS and len(term) > 2:
                yield "an argument missing", index, replace(clause, path, term[:-1])
                if term[1] != term[2]:
                    yield "arguments exchanged", index, replace(clause, path, [term[0], term[2], term[1]] + term[3:])


def second_mutants_of(clauses, rng):
    """As `mutants_of`, of other kinds."""
    roles = [clause[1] for clause in clauses if isinstance(clause, list) and clause[0] == "role"]
    rules = [clause for clause in clauses if isinstance(clause, list) and clause[0] == "<="]
    numbers = sorted({t for c in clauses for _, t in places(c) if isinstance(t, str) and t.isdigit()}, key=int)
    for index, clause in enumerate(clauses):
        rule = isinstance(clause, list) and clause[0] == "<="
        about = key(clause)
        relation = about[0]
        if relation in ("role", "base", "input"):
            continue
        if rule:
            top = head(clause)
            for at in range(2, len(clause)):
                condition = clause[at]
                name = condition[0] if isinstance(condition, list) else condition
                if name not in ("not", "or", "distinct", "does") and len(clause) > 3:
                    yield "a condition negated", index, clause[:at] + [["not", condition]] + clause[at + 1 :]
                if name == "distinct":
                    same = [condition[0], condition[1], condition[1]]
                    yield "distinct from itself", index, clause[:at] + [same] + clause[at + 1 :]
            alike = [other for other in rules if key(other) == about and other is not clause and len(other) > 2]
            if alike:
                other = rng.choice(alike)
                at = rng.randrange(2, len(clause))
                yield "a condition of another rule", index, clause[:at] + [rng.choice(other[2:])] + clause[at + 1 :]
            if isinstance(top, list) and relation in ("legal", "goal") and top[1] in roles and len(roles) > 1:
                wrong = [top[0], rng.choice([r for r in roles if r != top[1]])] + top[2:]
                yield f"{relation} for the wrong role", index, replace(clause, (1,), wrong)
            if relation == "goal" and top[1].startswith("?"):
                yield "goal for one role only", index, replace(clause, (1, 1), rng.choice(roles))
            if relation == "next" and isinstance(top[1], list):
                inside = top[1]
                variables = [at for at in range(1, len(inside)) if isinstance(inside[at], str) and inside[at].startswith("?")]
                others = sorted({t for _, t in places(clause) if isinstance(t, str) and t.startswith("?")})
                if variables and len(others) > 1:
                    at = rng.choice(variables)
                    new = rng.choice([o for o in others if o != inside[at]])
                    yield "an effect elsewhere", index, replace(clause, (1, 1, at), new)
                constants = [at for at in range(1, len(inside)) if isinstance(inside[at], str) and inside[at] in roles]
                for at in constants:
                    new = rng.choice([r for r in roles if r != inside[at]] or [inside[at]])
                    yield "the turn of the wrong role", index, replace(clause, (1, 1, at), new)
            if relation == "terminal" and len(clause) == 3:
                inner = clause[2]
                turned = inner[1] if isinstance(inner, list) and inner[0] == "not" else ["not", inner]
                yield "the end turned round", index, clause[:2] + [turned]
        elif relation not in KEYWORDS and isinstance(clause, list):
            for at in range(1, len(clause)):
                if clause[at].isdigit() and len(numbers) > 2:
                    wrong = rng.choice([n for n in numbers if abs(int(n) - int(clause[at])) == 1] or [clause[at]])
                    yield "a fact that leads elsewhere", index, replace(clause, (at,), wrong)
                elif clause[at] in roles and len(roles) > 1:
                    wrong = rng.choice([r for r in roles if r != clause[at]])
                    yield "a fact for the wrong role", index, replace(clause, (at,), wrong)
        elif relation == "init" and isinstance(clause[1], list):
            at = rng.randrange(1, len(clause[1]))
            values = sorted({c[1][at] for c in clauses if isinstance(c, list) and c[0] == "init" and isinstance(c[1], list) and c[1][0] == clause[1][0] and len(c[1]) == len(clause[1]) and isinstance(c[1][at], str) and c[1][at] != clause[1][at]})
            if values:
                yield "another initial value", index, replace(clause, (1, at), rng.choice(values))


def check(ludex, text, time):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "mutant.kif")
        with open(path, "w") as file:
            file.write(text)
        command = [ludex, "check", path, "--deep", "--time", str(time), "--json"]
        answer = json.loads(subprocess.run(command, capture_output=True, text=True).stdout)
    findings = answer["errors"] + answer["warnings"] + answer["review"]["suspicions"]
    return [(f.get("code") or f["kind"], f["line"], f["message"], f["hint"] or "") for f in findings]


def is_named(findings, clauses, line, about):
    for _, place, message, hint in findings:
        if place == line or re.search(rf"\blines? (\d+, )*{line}\b", hint):
            return True
        if about is not None and 0 < place <= len(clauses) and key(clauses[place - 1]) == about:
            return True
        # What is left out has no place: it is named by its relation.
        if about[0] != "next" and re.search(rf"`\(?{re.escape(about[0])}\b", message + hint):
            return True
        if about is not None and len(about) > 1 and about[1] and re.search(rf"`\(?{re.escape(about[1])}\b", message + hint):
            return True
    return False


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", default=GAMES)
    parser.add_argument("--each", type=int, default=1, help="mutants of each kind in each game")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--time", type=float, default=3)
    parser.add_argument("--ludex", default="target/release/ludex")
    parser.add_argument("--second", action="store_true", help="kinds of mistakes by which nothing was tuned")
    parser.add_argument("--list", action="store_true", help="list what was not found or not named")
    args = parser.parse_args()
    shares = {}
    false_alarms = 0
    for game in args.games.split(","):
        printed = subprocess.run([args.ludex, "print", game], capture_output=True, text=True, check=True).stdout
        clauses = read(printed)
        alarms = check(args.ludex, write(clauses), args.time)
        false_alarms += len(alarms)
        rng = random.Random(f"{game} {args.seed}")
        by_kind = {}
        make = second_mutants_of if args.second else mutants_of
        for kind, index, new in make(clauses, rng):
            by_kind.setdefault(kind, []).append((index, new))
        for kind, list_of in sorted(by_kind.items()):
            for index, new in rng.sample(list_of, min(args.each, len(list_of))):
                changed = clauses[:index] + ([] if new is None else [new]) + clauses[index + 1 :]
                findings = check(args.ludex, write(changed), args.time)
                named = is_named(findings, changed, index + 1, key(clauses[index]))
                share = shares.setdefault(kind, [0, 0, 0])
                share[0] += 1
                share[1] += bool(findings)
                share[2] += named
                if args.list and not named:
                    what = "left out" if new is None else show(new)
                    print(f"{game}: {kind}: {show(clauses[index])} -> {what}: {findings}", file=sys.stderr)
    print("| kind | mutants | found | named |\n|---|---|---|---|")
    for kind, (count, found, named) in sorted(shares.items()):
        print(f"| {kind} | {count} | {found} | {named} |")
    count, found, named = (sum(share[at] for share in shares.values()) for at in range(3))
    print(f"| all | {count} | {found} ({100 * found // count} %) | {named} ({100 * named // count} %) |")
    print(f"findings on the sound games: {false_alarms}")


if __name__ == "__main__":
    main()
