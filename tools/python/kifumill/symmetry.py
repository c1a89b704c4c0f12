"""The symmetries of the board, numbered as in shards.

    0 identity, 1 rot90 (counter-clockwise), 2 rot180, 3 rot270, 4 left-right, 5 top-bottom, 6 transpose, 7 rot180 after transpose

A rectangle has 0, 2, 4 and 5 only. Functions take and give numpy arrays and PyTorch tensors alike.
"""

import functools

import numpy as np

SYMMETRIES = 8
# Each is "transpose or not, then mirror the rows or not, then the columns or not".
_PARTS = ((0, 0, 0), (1, 1, 0), (0, 1, 1), (1, 0, 1), (0, 0, 1), (0, 1, 0), (1, 0, 0), (1, 1, 1))


def inverse_symmetry(k):
    """The symmetry that undoes k."""
    return (0, 3, 2, 1, 4, 5, 6, 7)[k]


def fitting_symmetries(rows, cols=None):
    """Those that map a board onto itself: all eight of a square, four of a rectangle."""
    return [k for k in range(SYMMETRIES) if cols in (None, rows) or not _PARTS[k][0]]


@functools.lru_cache(maxsize=None)
def _map(k, rows, cols):
    transpose, flip_rows, flip_cols = _PARTS[k]
    if transpose and rows != cols:
        raise ValueError(f"symmetry {k} does not fit a board of {rows} rows and {cols} columns")
    row, col = np.divmod(np.arange(rows * cols), cols)
    if transpose:
        row, col = col, row
    if flip_rows:
        row = rows - 1 - row
    if flip_cols:
        col = cols - 1 - col
    forward = np.append(row * cols + col, rows * cols)
    forward.setflags(write=False)
    return forward


def policy_map(k, rows=19, cols=None):
    """map[i] is where policy index i goes under k; the pass, rows * cols, stays."""
    return _map(k, rows, cols or rows)


@functools.lru_cache(maxsize=None)
def _origin(k, rows, cols):
    """Where the point that stands at i after k has come from."""
    origin = np.argsort(_map(k, rows, cols))
    return origin  # writable: torch does not take read-only indices without a warning


def turn_planes(planes, k, channels_last=False):
    """Planes (…, rows, cols), or (…, rows, cols, C), turned by k."""
    shape = tuple(planes.shape)
    if channels_last:
        rows, cols = shape[-3:-1]
        flat = planes.reshape(shape[:-3] + (rows * cols, shape[-1]))
        return flat[..., _origin(k, rows, cols)[:-1], :].reshape(shape)
    rows, cols = shape[-2:]
    flat = planes.reshape(shape[:-2] + (rows * cols,))
    return flat[..., _origin(k, rows, cols)[:-1]].reshape(shape)


def turn_policy(policy, k, rows=19, cols=None):
    """Policies (…, rows * cols + 1) of a position as those of the position turned by k."""
    return policy[..., _origin(k, rows, cols or rows)]


def symmetry_ensemble(model, planes, channels_last=False, symmetries=None):
    """What a model says of positions, averaged over the symmetries of the board.

    model takes planes (N, C, rows, cols) (or channels last) and gives policies (N, rows * cols + 1) and values (N, …); give
    probabilities, not logits: they are averaged as they are. However lopsided the model, the average turns as the position
    is turned.
    """
    rows, cols = tuple(planes.shape)[-3:-1] if channels_last else tuple(planes.shape)[-2:]
    symmetries = fitting_symmetries(rows, cols) if symmetries is None else list(symmetries)
    policy = value = None
    for k in symmetries:
        turned_policy, turned_value = model(turn_planes(planes, k, channels_last))
        back = turn_policy(turned_policy, inverse_symmetry(k), rows, cols)
        policy = back if policy is None else policy + back
        value = turned_value if value is None else value + turned_value
    return policy / len(symmetries), value / len(symmetries)
