"""Planes from bits to numbers."""

import numpy as np


def unpack(packed, rows=19, cols=None, dtype=np.uint8, channels_last=False):
    """Packed planes (…, C, bytes), most significant bit first, as zeros and ones (…, C, rows, cols) or (…, rows, cols, C)."""
    cols = cols or rows
    packed = np.asarray(packed, dtype=np.uint8)
    if packed.shape[-1] != (rows * cols + 7) // 8:
        raise ValueError(f"planes of {packed.shape[-1]} bytes are not those of a board of {rows} rows and {cols} columns")
    bits = np.unpackbits(packed, axis=-1, count=rows * cols)
    return finish(bits.reshape(packed.shape[:-1] + (rows, cols)), dtype, channels_last)


def finish(planes, dtype=np.uint8, channels_last=False):
    """Planes of bytes (…, C, rows, cols) in the type and order asked for."""
    if channels_last:
        planes = np.moveaxis(planes, -3, -1)
    return np.ascontiguousarray(planes, dtype=dtype)
