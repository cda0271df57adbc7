# SPDX-License-Identifier: MIT
# A recipe for Spack: put it into a repository of yours as packages/tracelayer/package.py. It builds a checkout or a release's tarball.
from spack.package import *


class Tracelayer(AutotoolsPackage):
    """Records the calls that an unchanged program makes into Level Zero, OpenCL, CUDA's driver, MPI and
    other libraries, and what their devices did; writes timelines and tables."""

    homepage = "https://example.org/tracelayer"
    license("MIT")

    version("0.9.0")

    variant("tracegen", default=True, description="Interposers for any C library")
    variant("otf2", default=False, description="Writes OTF2 archives")
    variant("sqlite", default=False, description="Writes SQLite databases")

    requires("target=x86_64:", "target=aarch64:", policy="one_of")
    requires("platform=linux")

    depends_on("c", type="build")
    depends_on("gmake", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("zlib-api")
    depends_on("jansson@2.11:")
    depends_on("xxhash")
    depends_on("llvm@14: +clang", when="+tracegen")
    depends_on("elfutils@0.180:", when="+tracegen")
    depends_on("otf2@2.2:", when="+otf2")
    depends_on("sqlite@3.36:", when="+sqlite")

    def configure_args(self):
        args = self.with_or_without("otf2") + self.with_or_without("sqlite")
        if self.spec.satisfies("+tracegen"):
            args.append(f"--with-libclang={self.spec['llvm'].prefix}")
        else:
            args.append("--without-libclang")
        # Spack's compilers would link libraries of its own into programs of others.
        args += ["--without-libffi", "--without-libdeflate", "--without-check"]
        return args

    def setup_run_environment(self, env):
        env.prepend_path("MANPATH", self.prefix.share.man)
