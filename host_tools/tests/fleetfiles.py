# SPDX-License-Identifier: GPL-2.0-or-later
"""The rules and the dashboard for fleets, and what their expressions are made of."""
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
    """All objects within a value of JSON."""
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
    """By where they are: those of panels and, as selectors, those of variables."""
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
    """Labels that the legend of an expression shows."""
    for panel in dashboard()["panels"]:
        for target in panel.get("targets", []):
            if where == f"{panel['title']}/{target['refId']}":
                return re.findall(r"\{\{(\w+)\}\}", target["legendFormat"])
    return []


def selectors(expression):
    """Metrics and what stands in braces behind them: pairs of a name and matchers, "" for none."""
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
    """Labels that an expression adds up by, or joins on."""
    lists = re.findall(r"\b(?:by|without|on|ignoring)\s*\(([^)]*)\)", expression)
    return [label.strip() for text in lists for label in text.split(",") if label.strip()]
