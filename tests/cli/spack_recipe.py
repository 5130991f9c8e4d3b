#!/usr/bin/env python3
"""spack_recipe.py SOURCE: the Spack recipe does with Spack's own words what it should, as far as can be
told without Spack: what it imports from 0.2x and from 1.x, its directives and its arguments of CMake.
Both are stood in for; the names of dependencies are those of Spack's repository builtin."""

import pathlib
import re
import sys
import types
import urllib.parse

SOURCE = pathlib.Path(sys.argv[1]).resolve()
RECIPE = SOURCE / "jobs/package/spack/packages/scow/package.py"
# What CMake looks for (jobs/package/libraries.cmake), and who brings it in Spack.
WANTED = {"c", "cmake", "ninja", "pkgconfig", "mpi", "hdf5", "lapack", "netlib-lapack", "jansson", "libpng", "openssl",
          "xxhash", "clp", "zlib-api", "zstd", "libtiff"}


class Package:
    """Of a CMakePackage what the recipe uses."""

    build_directory, run_tests = "build", False

    def __init__(self, clp):
        found = types.SimpleNamespace(mpicc="/opt/mpi/bin/mpicc", prefix="/opt/hdf5")
        self.spec, self.variants = {"mpi": found, "hdf5": found}, {"clp": clp}

    def define(self, name, value):
        return f"-D{name}={'ON' if value is True else 'OFF' if value is False else value}"

    def define_from_variant(self, name, variant):
        return self.define(name, self.variants[variant])


def recipe_load(modern):
    """The class, and its directives: [(name, arguments, keywords)]."""
    said = []

    def directive(name):
        return lambda *arguments, **keywords: said.append((name, arguments, keywords))

    words = {name: directive(name) for name in ("license", "version", "variant", "depends_on", "generator")}
    building = {"CMakePackage": Package, "generator": words.pop("generator")}
    modules = {name: types.ModuleType(name) for name in ("spack", "spack.package")}
    if modern:
        below = ["spack_repo", "spack_repo.builtin", "spack_repo.builtin.build_systems", "spack_repo.builtin.build_systems.cmake"]
        modules.update({name: types.ModuleType(name) for name in below})
        vars(modules[below[-1]]).update(building)
    vars(modules["spack.package"]).update(words if modern else {**words, **building})
    sys.modules.update(modules)
    try:
        names = {"__file__": str(RECIPE), "__name__": "package"}
        exec(compile(RECIPE.read_text(encoding="utf-8"), str(RECIPE), "exec"), names)
    finally:
        for name in modules:
            del sys.modules[name]
    return names["Scow"], said


def check(modern):
    recipe, said = recipe_load(modern)
    of = lambda name: [(arguments, keywords) for kind, arguments, keywords in said if kind == name]
    depended = {re.match("[a-z0-9-]+", arguments[0])[0] for arguments, _ in of("depends_on")}
    assert depended == WANTED, depended ^ WANTED
    build_only = {arguments[0].split("@")[0] for arguments, keywords in of("depends_on") if keywords.get("type") == "build"}
    assert build_only == {"c", "cmake", "ninja", "pkgconfig"}, build_only
    needed = re.search(r"cmake_minimum_required\(VERSION ([\d.]+)\)", (SOURCE / "CMakeLists.txt").read_text())[1]
    assert any(arguments[0] == f"cmake@{needed}:" for arguments, _ in of("depends_on")), needed
    assert [arguments for arguments, _ in of("variant")] == [("clp",)] and of("generator") == [(("ninja",), {})]
    assert [keywords.get("when") for arguments, keywords in of("depends_on") if arguments[0] == "clp"] == ["+clp"]
    assert (pathlib.Path(urllib.parse.urlparse(recipe.git).path) / "CMakeLists.txt").is_file(), recipe.git
    for clp in True, False:
        arguments = recipe(clp).cmake_args()
        assert arguments == [f"-DSCOW_CLP={'ON' if clp else 'OFF'}", "-DBUILD_TESTING=OFF", "-DMPI_C_COMPILER=/opt/mpi/bin/mpicc",
                             "-DHDF5_ROOT=/opt/hdf5"], arguments
    assert "option(SCOW_CLP" in (SOURCE / "CMakeLists.txt").read_text()
    assert callable(recipe.check) and recipe.__doc__


check(False)
check(True)
