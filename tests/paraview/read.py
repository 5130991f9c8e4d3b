"""pvpython read.py FILE.xdmf ARRAYS.npz: ParaView sees these arrays in the file, number for number."""

import os
import sys

import numpy
from paraview import servermanager, simple
from paraview.vtk.util import numpy_support

# As ParaView's dialogue would name it: one of the readers looks for folders in the name.
path, wanted = os.path.abspath(sys.argv[1]), numpy.load(sys.argv[2])
READERS = [name for name in ("XDMFReader", "Xdmf3ReaderS", "Xdmf3ReaderT") if hasattr(simple, name)]
assert READERS, "this ParaView has no reader of XDMF"


def image_of(data):
    """The one grid that there is, which some readers hide in blocks."""
    while data.IsA("vtkMultiBlockDataSet") or data.IsA("vtkPartitionedDataSetCollection"):
        data = data.GetBlock(0)
    return data


for name in READERS:
    reader = getattr(simple, name)(FileName=[path]) if name != "XDMFReader" else simple.XDMFReader(FileNames=[path])
    reader.UpdatePipeline()
    image = image_of(servermanager.Fetch(reader))
    points = image.GetPointData()
    names = {points.GetArrayName(k) for k in range(points.GetNumberOfArrays())}
    assert names == set(wanted.files), (name, names)
    for key in wanted.files:
        slices, rows, columns = wanted[key].shape
        assert image.GetDimensions() == (columns, rows, slices), (name, image.GetDimensions())
        seen = numpy_support.vtk_to_numpy(points.GetArray(key)).reshape(slices, rows, columns)
        assert (seen == wanted[key]).all(), f"{name}: {key} has other numbers"
        assert seen.dtype.itemsize == wanted[key].dtype.itemsize, (name, key, seen.dtype)
    print(f"{sys.argv[1]}: {name} reads {', '.join(sorted(names))} of {columns} x {rows} x {slices}")
