"""Build the Cython extensions; everything else about the package stands in pyproject.toml."""

import sys

from Cython.Build import cythonize
from setuptools import Extension, setup

OPTIMISE = ["/O2"] if sys.platform == "win32" else ["-O3"]

extensions = [
    Extension(f"lusatia_ai.{name}", [f"lusatia_ai/{name}.pyx"], extra_compile_args=OPTIMISE)
    for name in ("_tables", "_core", "_evaluation", "_policy", "_belief", "_bidding", "_solver", "_search", "_bench")
]

setup(
    ext_modules=cythonize(
        extensions,
        compiler_directives={
            "language_level": 3,
            "boundscheck": False,
            "wraparound": False,
            "cdivision": True,
            "initializedcheck": False,
            "embedsignature": True,
        },
    )
)
