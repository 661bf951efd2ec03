"""A figure's values as short JSON, which the page's script draws, and as CSV for other programs."""

from plots.figures.picture import SIDEWAYS

CSV_COLUMNS = ["frame", "series", "kind", "x", "y", "low", "high", "start", "invocations", "text"]


def counts_of(summaries):
    """{shape of an interval: how many invocations are behind it}."""
    return {_shape(summary.median, summary.low, summary.high): summary.invocations
            for summary in summaries if summary.median and summary.low is not None}


def _shape(middle, low, high):
    """The ends of an interval over its middle: the same in every unit."""
    return round(low / middle, 7), round(high / middle, 7)


def count_of(layer, mark, counts):
    """The number of invocations behind a mark, found by its interval; None if no summary has this interval."""
    middle = mark.x if layer.kind in SIDEWAYS else mark.y
    return counts.get(_shape(middle, mark.low, mark.high)) if middle and mark.low is not None else None


def as_data(picture, counts):
    """The picture as JSON; empty and default values are left out."""
    return {"width": picture.width, "height": picture.height, "columns": picture.shape[1],
            "frames": [_frame(frame, counts) for frame in picture.frames]}


def _frame(frame, counts):
    told = {"x": _axis(frame.x), "y": _axis(frame.y), "title": frame.title, "grid": frame.grid, "says": frame.says,
            "layers": [_layer(layer, counts) for layer in frame.layers if layer.marks or layer.label],
            "rules": [[_short(rule.at), int(rule.upright), rule.colour, rule.dash] for rule in frame.rules],
            "texts": [[_short(text.x), _short(text.y), text.text, text.align, text.colour] for text in frame.texts],
            "arrows": [[_short(arrow.x), _short(arrow.y), arrow.way] for arrow in frame.arrows],
            "ground": frame.ground and [_short(end) for end in frame.ground]}
    if frame.field:
        told["field"] = {"label": frame.field.label,
                         "rows": [[_short(value) for value in row] for row in frame.field.rows]}
    return _filled(told)


def _axis(axis):
    return _filled({"label": axis.label, "scale": axis.scale if axis.scale != "linear" else "", "low": _short(axis.low),
                    "high": _short(axis.high), "steep": axis.steep, "hidden": axis.hidden,
                    "ticks": axis.ticks and [[_short(place), text] for place, text in axis.ticks]})


def _layer(layer, counts):
    look = layer.look
    marks = []
    for mark in layer.marks:
        values = [_short(mark.x), _short(mark.y), _short(mark.low), _short(mark.high), count_of(layer, mark, counts),
                  _short(mark.start) or None, mark.text or None]
        while values[-1] is None:
            values.pop()
        marks.append(values)
    return _filled({"kind": layer.kind, "label": layer.label, "colour": look.colour, "shape": look.shape,
                    "dash": look.dash if look.dash != "solid" else "", "width": look.width, "hollow": look.hollow,
                    "hatched": look.hatched, "thickness": layer.thickness if layer.kind == "bars" else 0,
                    "size": layer.size if layer.size != 1 else 0, "marks": marks})


def _filled(told):
    return {name: value for name, value in told.items() if value is not None and value not in ("", [], False, 0)
            or name in ("low", "high") and value == 0}


def _short(value):
    """Six digits, more than any measurement has; whole numbers without a point."""
    if value is None or isinstance(value, str):
        return value
    value = float(format(value, ".6g"))
    return int(value) if value == int(value) and abs(value) < 1e15 else value


def csv_rows(picture, counts):
    """A row a mark."""
    for number, frame in enumerate(picture.frames):
        for layer in frame.layers:
            for mark in layer.marks:
                yield [frame.title.replace("\n", " ") or number, layer.label, layer.kind,
                       *("" if value is None else format(value, ".10g")
                         for value in (mark.x, mark.y, mark.low, mark.high, mark.start)),
                       count_of(layer, mark, counts) or "", mark.text.replace("\n", " ")]
