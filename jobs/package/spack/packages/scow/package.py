# From a clone of scow, which is also where this recipe takes the sources from:
#     spack repo add jobs/package/spack && spack install scow
import pathlib

from spack.package import *

try:  # Spack 1.0 and later keep build systems among the packages
    from spack_repo.builtin.build_systems.cmake import CMakePackage, generator
except ImportError:
    pass


class Scow(CMakePackage):
    """Plans large numbers of independent core tasks for a cluster from a short calibration, runs that
    plan with MPI and OpenMP, and reports how good it was."""

    git = pathlib.Path(__file__).resolve().parents[5].as_uri()

    license("MIT")

    version("main", branch="main")

    variant("clp", default=True, description="The scheduler `optimal`, with COIN-OR Clp")

    depends_on("c", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("mpi")
    depends_on("hdf5")
    depends_on("lapack")
    depends_on("netlib-lapack+lapacke", when="^[virtuals=lapack] netlib-lapack")
    depends_on("jansson")
    depends_on("libpng")
    depends_on("zlib-api")
    depends_on("zstd")
    depends_on("libtiff")
    depends_on("openssl")
    depends_on("xxhash")
    depends_on("clp", when="+clp")

    generator("ninja")

    def cmake_args(self):
        return [
            self.define_from_variant("SCOW_CLP", "clp"),
            self.define("BUILD_TESTING", self.run_tests),
            self.define("MPI_C_COMPILER", self.spec["mpi"].mpicc),
            self.define("HDF5_ROOT", self.spec["hdf5"].prefix),
        ]

    def check(self):
        with working_dir(self.build_directory):
            ctest("-L", "unit", "--output-on-failure")
