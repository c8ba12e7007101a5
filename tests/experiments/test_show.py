from lopsided.experiments import (
    Column,
    Measurement,
    Measurements,
    column_table,
    cross_table,
    curves,
    for_each,
)

T = Measurements(
    [
        Measurement({"data": data, "setting": setting}, {"gamma": gamma, "f1": f1})
        for data, setting, gamma, f1 in (
            ("corn", "wide", 4.0, 0.5),
            ("corn", "narrow", 1.0, 0.7),
            ("ship", "wide", 4.0, 0.9),
        )
    ]
)


def f1_of(part, setting):
    values = part.values("f1", setting=setting)
    return f"{values[0]}" if values else ""


def test_a_line_for_each_label_and_a_cell_under_each_head():
    table = cross_table(T, "data", ["wide", "narrow"], f1_of, "F1")
    assert (table.title, table.columns) == ("F1", ("wide", "narrow"))
    assert table.lines == [("corn", ["0.5", "0.7"]), ("ship", ["0.9", ""])]


def test_a_block_for_each_label():
    show = for_each("data", lambda part, title: cross_table(part, "setting", ["wide"], f1_of, title), "on {}")
    assert [(table.title, len(table.lines)) for table in show(T)] == [("on corn", 2), ("on ship", 1)]


def test_a_curve_for_each_label_ordered_by_x():
    corn, ship = curves(T, "data", "setting", "gamma", "f1")
    assert (corn.name, corn.x, corn.y) == ("corn", [1.0, 4.0], [0.7, 0.5])
    assert (ship.x, ship.y) == ([4.0], [0.9])
    assert [one.name for one in curves(T, "data", "setting", "gamma", "f1", names=["ship"])] == ["ship"]


def test_lines_that_lack_a_value_are_kept_if_wanted():
    columns = [Column(setting, "f1", {"setting": setting}) for setting in ("wide", "narrow")]
    assert [name for name, _ in column_table(T, "data", columns).lines] == ["corn"]
    kept = column_table(T, "data", columns, whole=False).lines
    assert [(name, [cell and cell.ours for cell in cells]) for name, cells in kept] == [
        ("corn", [0.5, 0.7]),
        ("ship", [0.9, ""]),
    ]
