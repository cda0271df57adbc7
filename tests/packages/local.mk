# SPDX-License-Identifier: MIT
# tests of packages for distributions and of a release's tarball: built, installed in a root with little in it, used, and removed
package_scripts += %D%/deb.sh %D%/rpm.sh %D%/spack.sh %D%/tarball.sh
