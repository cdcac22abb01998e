"""Results as Markdown, and what differs from the results before."""

import json

TOLERANCE = 0.07  # of a speed or a size that counts as worse


def number(value):
    if isinstance(value, dict) and "median" in value:
        least, most = number(value["least"]), number(value["most"])
        middle = number(value["median"])
        return middle if least == most else f"{middle} ({least}–{most})"
    if isinstance(value, float):
        digits = 0 if abs(value) >= 100 else 1 if abs(value) >= 10 else 2
        return f"{value:.{digits}f}"
    return "" if value is None else str(value)


def cell(column, value):
    """DER is given with two digits, the rest with two or three in all."""
    exact = column.startswith("DER") and value is not None
    return f"{value:.2f}" if exact else number(value)


def table(rows):
    """A Markdown table of {row name: {column: value}}."""
    columns = list(dict.fromkeys(key for row in rows.values() for key in row))
    lines = ["| | " + " | ".join(columns) + " |"]
    lines.append("|---" * (len(columns) + 1) + "|")
    for name, row in rows.items():
        cells = [cell(column, row.get(column)) for column in columns]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def markdown(results):
    """One table a section, under what it shows."""
    parts = [f"{results['machine']}\n"]
    for section in results["sections"].values():
        parts.append(f"### {section['title']}\n\n{section['note']}\n")
        parts.append(table(section["rows"]))
    return "\n".join(parts)


def best(value, lower_is_better):
    """The figure that the machine's other work has touched least."""
    if isinstance(value, dict):
        return value["least" if lower_is_better else "most"]
    return value


def worse(results, before):
    """Lines about figures that fell behind the results before.

    Compared are the columns that a section names, which are ratios to
    something measured in the same run, or sizes.
    """
    lines = []
    for key, section in results["sections"].items():
        old = before.get("sections", {}).get(key, {}).get("rows", {})
        for name, row in section["rows"].items():
            for column, lower_is_better in section["compare"].items():
                if row.get(column) is None or not old.get(name, {}).get(column):
                    continue
                now = best(row[column], lower_is_better)
                then = best(old[name][column], lower_is_better)
                change = now / then if lower_is_better else then / now
                if change > 1 + TOLERANCE:
                    lines.append(
                        f"{section['title']}: {name}: {column} was "
                        f"{number(then)}, is {number(now)}"
                    )
    return lines


def save(results, folder):
    """Writes both forms; returns the results that were there before."""
    stored = folder / "results.json"
    before = json.loads(stored.read_text()) if stored.exists() else {}
    # What was not measured this time stays as it was.
    merged = {**before.get("sections", {}), **results["sections"]}
    whole = {**results, "sections": merged}
    stored.write_text(json.dumps(whole, indent=1, ensure_ascii=False) + "\n")
    (folder / "results.md").write_text(markdown(whole))
    return before
