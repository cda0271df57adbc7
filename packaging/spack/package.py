# SPDX-License-Identifier: MIT
# A recipe for Spack: put it into a repository of yours as packages/tracelayer/package.py. It builds a release's tarball.
# It needs Spack 0.23 or newer; tests/packages/spack.sh builds it. make spack writes it with the sha256 of the tarball.
try:
    from spack_repo.builtin.build_systems.autotools import AutotoolsPackage
except ImportError:
    pass  # before 1.0 spack.package has it

from spack.package import *


class Tracelayer(AutotoolsPackage):
    """Records the calls that an unchanged program makes into Level Zero, OpenCL, CUDA's driver, MPI and
    other libraries, and what their devices did; writes timelines and tables."""

    homepage = "https://example.org/tracelayer"
    url = "https://example.org/tracelayer/tracelayer-0.9.0.tar.gz"
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
    # tracegen opens libclang by its path to read headers. Not "run": llvm would then set CC and CXX
    # for all who load tracelayer. So `spack gc` may remove it; tracegen says then that it is missing.
    depends_on("llvm@14: +clang", type="build", when="+tracegen")
    depends_on("elfutils@0.180:", when="+tracegen")
    # The shims are made of their headers.
    depends_on("opencl-c-headers", type="build", when="+tracegen")
    depends_on("oneapi-level-zero", type="build", when="+tracegen")
    depends_on("otf2@2.2:", when="+otf2")
    depends_on("sqlite@3.36:", when="+sqlite")

    def configure_args(self):
        args = self.with_or_without("otf2") + self.with_or_without("sqlite")
        if self.spec.satisfies("+tracegen"):
            args.append(f"--with-libclang={self.spec['llvm'].prefix}")
            headers = self.spec["oneapi-level-zero"].prefix.include.level_zero
            args.append(f"--with-level-zero-headers={headers}")
        else:
            args.append("--without-libclang")
        # Spack's compilers would link libraries of its own into programs of others.
        args += ["--without-libffi", "--without-libdeflate", "--without-check"]
        return args

    def setup_build_environment(self, env):
        # Spack's compilers find headers of what is linked; tracegen reads this variable, too.
        if self.spec.satisfies("+tracegen"):
            env.prepend_path("CPATH", self.spec["opencl-c-headers"].prefix.include)

    def setup_run_environment(self, env):
        env.prepend_path("MANPATH", self.prefix.share.man)
