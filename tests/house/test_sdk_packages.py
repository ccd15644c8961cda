"""Packages of provider SDKs that are filled on demand are the packages that they would have been."""

from __future__ import annotations

import subprocess
import sys

import pytest

SAME = """
import random, sys, warnings
from importlib import import_module
from operations.offline.sdk_packages import GeneratedPackage, on_demand

warnings.simplefilter("ignore")
name = sys.argv[1]


def described(package, names):
    return {each: (getattr(value, "__module__", ""), getattr(value, "__qualname__", "")) for each in names
            for value in [getattr(package, each)]}


whole = import_module(name)
names = sorted(each for each in vars(whole) if not each.startswith("_") and each != "typing")
expected = described(whole, names)
for each in [each for each in sys.modules if each == name or each.startswith(f"{name}.")]:
    del sys.modules[each]
with on_demand():
    package = import_module(name)
assert type(package) is GeneratedPackage, type(package)
assert not any(each.startswith(f"{name}.") for each in sys.modules)
random.Random(15).shuffle(names)
assert described(package, names) == expected
assert not hasattr(package, "no_such_name")
"""
STAR = """
import warnings
from operations.offline.sdk_packages import on_demand

warnings.simplefilter("ignore")
with on_demand():
    from pulumi_gcp.storage import *
assert Bucket.__module__ == "pulumi_gcp.storage.bucket"
assert get_bucket.__module__ == "pulumi_gcp.storage.get_bucket"
"""
NARROW = """
import sys, warnings
from operations.offline.sdk_packages import on_demand

warnings.simplefilter("ignore")
with on_demand():
    import pulumi_aws as aws
    aws.ec2.Vpc
    import pulumi_aws.ec2.subnet
    assert aws.ec2.subnet is sys.modules["pulumi_aws.ec2.subnet"]
    assert isinstance(aws.ec2.Subnet, type)
print(len([each for each in sys.modules if each.startswith("pulumi_aws.ec2.")]))
"""


@pytest.mark.parametrize(
    "package", ["pulumi_aws.ec2", "pulumi_gcp.storage", "pulumi_kubernetes.core.v1", "pulumi_kubernetes.helm.v3"]
)
def test_every_name_is_what_the_whole_package_has(package: str) -> None:
    subprocess.run([sys.executable, "-c", SAME, package], check=True)


def test_a_star_import_takes_every_name() -> None:
    subprocess.run([sys.executable, "-c", STAR], check=True)


def test_a_name_loads_its_own_module_and_few_others() -> None:
    done = subprocess.run([sys.executable, "-c", NARROW], check=True, capture_output=True, text=True)
    assert int(done.stdout) < 8
