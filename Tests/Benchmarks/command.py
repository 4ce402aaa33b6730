# The command line of a measuring program: its smallest size, its progress, and the reason where this machine cannot run it.
# SPDX-License-Identifier: Apache-2.0

import os
import shutil
import subprocess
import sys

import children

HERE = os.path.dirname(os.path.abspath(__file__))
REPOSITORY = os.path.dirname(os.path.dirname(HERE))
# The exit status of a program that this machine cannot run. `run_step` of Packaging/dev/steps knows it.
SKIPPED = 77


def say(text):
    """Tells on standard error what is being done."""
    print(f"{os.path.basename(sys.argv[0])}: {text}", file=sys.stderr, flush=True)


def rounds(count, title):
    """The numbers of the rounds, each of which is told."""
    for number in range(count):
        say(f"{title}: round {number + 1} of {count}")
        yield number


def parse(parser, **smallest):
    """Adds `--quick`, and returns the options. With it, these are the values of options that are not given."""
    parser.add_argument("--quick", action="store_true", help="the smallest sizes, to see whether it runs at all")
    options = parser.parse_args()
    if options.quick:
        parser.set_defaults(**smallest)
        options = parser.parse_args()
    return options


def leave_out(part, reason):
    """Tells that a part is not measured. `all` repeats the line at its end."""
    say(f"skipped: {part}: {reason}")


def skip(reason):
    """Ends the program, which this machine cannot run."""
    say(f"skipped: {reason}")
    sys.exit(SKIPPED)


def need_root(purpose):
    if os.geteuid() != 0:
        skip(f"it needs root, {purpose}")


def need_program(name, package):
    """Skips the program if a command is not installed. `package` is Debian's package of it."""
    # Ordinary users do not have /usr/sbin in their path.
    if not shutil.which(name, path=os.environ.get("PATH", os.defpath) + ":/usr/sbin"):
        skip(f"{name} is not installed (apt-get install {package})")


def install(*packages):
    """Installs Debian packages, and returns whether they are there."""
    script = '. Packaging/dev/dependencies && need_packages "$@"'
    try:
        children.run(["bash", "-c", script, "benchmark", *packages], cwd=REPOSITORY)
    except subprocess.CalledProcessError:
        return False
    return True


def need_packages(*packages):
    """Installs Debian packages. Skips the program if that fails."""
    if not install(*packages):
        skip(f"it needs the packages {', '.join(packages)}")


def build(*products):
    """Builds optimized programs, and returns their directory."""
    say("building " + ", ".join(products))
    # As people get them: this file has the flags.
    script = '. Packaging/dev/release-build && for product in "$@"; do "${release_build[@]}" --product "$product" >&2 || exit; done && ' \
        '"${release_build[@]}" --show-bin-path'
    return children.run(["bash", "-c", script, "benchmark", *products], cwd=REPOSITORY, stdout=subprocess.PIPE).strip()


def compile_floor(directory, *names, libraries=()):
    """Compiles programs of `floor`, and returns the path of the last one."""
    compiler = next(filter(None, map(shutil.which, ("cc", "gcc", "clang"))), None) or skip("no C compiler is installed")
    # A compiler that is ended may leave its temporary files.
    environment = {**os.environ, "TMPDIR": directory}
    for name in names:
        program = os.path.join(directory, name)
        children.run([compiler, "-O2", "-Wall", "-Wextra", "-Werror", "-pthread", os.path.join(HERE, "floor", name + ".c"), "-o", program,
                      *libraries], env=environment)
    return program
