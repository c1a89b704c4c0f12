"""Finds libkifumill.so and the zstd filter for HDF5 that is built and installed with it."""

import ctypes.util
import glob
import os
import sys

ZSTD_FILTER = 32015
_HERE = os.path.dirname(os.path.abspath(__file__))
_LIB_FOLDERS = ("lib", "lib/*-linux-*", "lib64", "build/*/lib", "build/lib")


def _library_candidates():
    """Beside the package, in the installation or the build tree that it lies in, where Python looks."""
    yield os.path.join(_HERE, "libkifumill.so")
    folder = _HERE
    for _ in range(5):
        folder = os.path.dirname(folder)
        found = [path for lib in _LIB_FOLDERS for path in glob.glob(os.path.join(folder, lib, "libkifumill.so"))]
        yield from sorted(found, key=os.path.getmtime, reverse=True)
    yield from (path for lib in _LIB_FOLDERS[:3] for path in glob.glob(os.path.join(sys.prefix, lib, "libkifumill.so")))


def find_library():
    """The path or name of libkifumill.so; None if it is nowhere. KIFUMILL_LIBRARY says it without searching."""
    named = os.environ.get("KIFUMILL_LIBRARY")
    if named:
        return named
    return next((path for path in _library_candidates() if os.path.isfile(path)), None) or ctypes.util.find_library("kifumill")


def _plugin_folders():
    library = find_library()
    if library and os.path.dirname(library):
        lib = os.path.dirname(os.path.realpath(library))
        yield os.path.join(lib, "kifumill", "hdf5-plugin")
        yield os.path.join(os.path.dirname(lib), "plugin")


def ensure_zstd(path):
    """Sees that h5py can read zstd; path is the file that is in need of it, for the message."""
    import h5py

    if h5py.h5z.filter_avail(ZSTD_FILTER):
        return
    for folder in _plugin_folders():
        if glob.glob(os.path.join(folder, "*kmzstd*")):
            h5py.h5pl.prepend(folder.encode())
            if h5py.h5z.filter_avail(ZSTD_FILTER):
                return
    try:
        import hdf5plugin  # noqa: F401 (registers its filters)
    except ImportError:
        pass
    if not h5py.h5z.filter_avail(ZSTD_FILTER):
        raise OSError(
            f"{path} is compressed with zstd, which h5py cannot read by itself: install hdf5plugin (pip install hdf5plugin), "
            f"or set HDF5_PLUGIN_PATH to the folder kifumill/hdf5-plugin of the installed libraries"
        )
