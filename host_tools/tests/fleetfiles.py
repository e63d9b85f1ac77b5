# SPDX-License-Identifier: GPL-2.0-or-later
"""The rules and the dashboard for fleets, and the parts of their expressions."""
import json
import pathlib
import re

FLEET = pathlib.Path(__file__).resolve().parents[1] / "fleet"
RULES = FLEET / "vpmu.rules.yml"
DASHBOARD = FLEET / "vpmu.dashboard.json"
# What Grafana puts in their place; the longest first.
VARIABLES = {"$__rate_interval": "1m", "$machine": ".*"}
# Of Prometheus's own.
FOREIGN = {"up", "ALERTS"}
NAME = r"[a-zA-Z_][a-zA-Z0-9_:]*"


def objects(value):
    """Returns all objects within a JSON value."""
    if isinstance(value, dict):
        yield value
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from objects(item)


def substitute(text):
    for name, value in VARIABLES.items():
        text = text.replace(name, value)
    return text


def dashboard():
    return json.loads(DASHBOARD.read_text(encoding="utf-8"))


def dashboard_expressions():
    """Returns the expressions of panels and the selectors of variables, by their places."""
    board = dashboard()
    found = {}
    for panel in board["panels"]:
        for target in panel.get("targets", []):
            found[f"{panel['title']}/{target['refId']}"] = substitute(target["expr"])
    for variable in board["templating"]["list"]:
        query = variable.get("definition", "")
        if query:
            metric, label = re.fullmatch(r"label_values\((.*), (\w+)\)", query).groups()
            found[f"${variable['name']}"] = f"count by ({label}) ({metric})"
    return found


def legend_labels(where):
    """Returns the labels in the legend of an expression."""
    for panel in dashboard()["panels"]:
        for target in panel.get("targets", []):
            if where == f"{panel['title']}/{target['refId']}":
                return re.findall(r"\{\{(\w+)\}\}", target["legendFormat"])
    return []


def selectors(expression):
    """Returns pairs of a metric and the matchers in braces after it, or ""."""
    bare = re.sub(r"\b(by|without|on|ignoring)\s*\([^)]*\)", "", expression)
    names = re.findall(rf"({NAME})\s*(\{{[^}}]*\}})", bare)
    plain = re.sub(r'\{[^}]*\}|"[^"]*"|\[[^\]]*\]', " ", bare)
    known = {name for name, _ in names}
    for name in re.findall(rf"({NAME})(?!\s*\(|{NAME})", plain):
        if name not in known and re.match(r"vpmu_|\w+:vpmu_", name):
            names.append((name, ""))
    return [(name, matchers) for name, matchers in names if name not in FOREIGN]


def matched_labels(matchers):
    return re.findall(rf"({NAME})\s*(?:=~|!~|!=|=)", re.sub(r'"[^"]*"', '""', matchers))


def grouped_labels(expression):
    """Returns the labels that an expression groups or joins by."""
    lists = re.findall(r"\b(?:by|without|on|ignoring)\s*\(([^)]*)\)", expression)
    return [label.strip() for text in lists for label in text.split(",") if label.strip()]
