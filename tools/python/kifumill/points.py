"""Names of points. A point is row * cols + col, row 0 at the top; a pass is rows * cols."""

_GTP = "ABCDEFGHJKLMNOPQRSTUVWXYZ"
_SGF = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


def _place(point, rows, cols):
    if not 0 <= point < rows * cols:
        raise ValueError(f"{point} is no point of a board of {rows} rows and {cols} columns")
    return divmod(point, cols)


def gtp_name(point, rows=19, cols=None):
    """The name in the Go Text Protocol: "D4", or "pass". Boards of up to 25 columns have such names."""
    cols = cols or rows
    if cols > len(_GTP):
        raise ValueError(f"GTP has no names for {cols} columns")
    if point == rows * cols:
        return "pass"
    row, col = _place(point, rows, cols)
    return f"{_GTP[col]}{rows - row}"


def gtp_point(name, rows=19, cols=None):
    """The point of a GTP name, in capitals or not."""
    cols = cols or rows
    text = name.strip().upper()
    if text == "PASS":
        return rows * cols
    col = _GTP.find(text[:1]) if text else -1
    number = int(text[1:]) if text[1:].isdigit() else 0
    if not (0 <= col < cols and 1 <= number <= rows):
        raise ValueError(f"{name!r} is no point of a board of {rows} rows and {cols} columns")
    return (rows - number) * cols + col


def sgf_name(point, rows=19, cols=None):
    """The value of B and W in an SGF record: "dp"; "" for a pass."""
    cols = cols or rows
    if point == rows * cols:
        return ""
    row, col = _place(point, rows, cols)
    return _SGF[col] + _SGF[row]


def sgf_point(name, rows=19, cols=None):
    """The point of an SGF value. "" is a pass, and so is "tt" on boards of up to 19 by 19."""
    cols = cols or rows
    if name == "" or (name == "tt" and max(rows, cols) <= 19):
        return rows * cols
    col, row = (_SGF.find(name[0]), _SGF.find(name[1])) if len(name) == 2 else (-1, -1)
    if not (0 <= col < cols and 0 <= row < rows):
        raise ValueError(f"{name!r} is no point of a board of {rows} rows and {cols} columns")
    return row * cols + col
