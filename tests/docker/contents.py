#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the files of the image: contents.py ROOT BILL VERSION.

ROOT is the image's file system, BILL the path of the bill of materials in it, VERSION that of Quadrille. The image may
have only the programs and what they load, and the bill must name each of these files and the Debian package behind it.
"""
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys

PROGRAMS = {"/usr/local/bin/" + name for name in ["quadrille-server", "quadrille", "quadrille-bench"]}
problems = []


def check(good, problem):
    if not good:
        problems.append(problem)


root, bill_path, version = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]
files = {"/" + str(path.relative_to(root)): path for path in root.rglob("*") if path.is_file() and not path.is_symlink()}
binaries = {name for name, path in files.items() if path.open("rb").read(4) == b"\x7fELF"}
libraries = binaries - PROGRAMS

# ---- programs and libraries ----

executable = {name for name, path in files.items() if os.access(path, os.X_OK) and path.stat().st_mode & 0o111}
check(PROGRAMS <= binaries, f"programs are missing: {PROGRAMS - binaries}")
check(executable <= binaries, f"these are executable, and neither programs nor libraries: {executable - binaries}")
check(not [path for path in files.values() if path.stat().st_mode & 0o6000], "a file has the setuid or setgid bit")
needed = set()
for name in binaries:
    dynamic = subprocess.run(["readelf", "-d", "-l", files[name]], capture_output=True, text=True, check=True).stdout
    needed |= set(re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic))
    needed |= {os.path.basename(path) for path in re.findall(r"program interpreter: (.*)\]", dynamic)}
names = {os.path.basename(name) for name in libraries}
check(names == needed, f"libraries nobody needs: {names - needed}; libraries that are missing: {needed - names}")

# ---- the bill of materials ----

bill = json.loads(files[bill_path].read_text())
check(bill["spdxVersion"] == "SPDX-2.3" and bill["dataLicense"] == "CC0-1.0", "the bill is not SPDX 2.3")
check(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", bill["creationInfo"]["created"]), "the bill has no time")
ids = ["SPDXRef-DOCUMENT"] + [element["SPDXID"] for element in bill["packages"] + bill["files"]]
check(len(ids) == len(set(ids)), "an id of the bill is there twice")
check(all(re.fullmatch(r"SPDXRef-[A-Za-z0-9.-]+", each) for each in ids), "an id of the bill has other letters")
for each in bill["relationships"]:
    check({each["spdxElementId"], each["relatedSpdxElement"]} <= set(ids), f"a relationship leads nowhere: {each}")

packages = {package["SPDXID"]: package for package in bill["packages"]}
own = [package for package in packages.values() if package["name"] == "quadrille"]
check([package["versionInfo"] for package in own] == [version], f"the bill does not have quadrille {version}")
check({"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": own[0]["SPDXID"]}
      in bill["relationships"], "the bill does not describe quadrille")

listed = {each["fileName"].removeprefix("."): each for each in bill["files"]}
check(set(listed) == binaries, f"the bill differs from the image in {set(listed) ^ binaries}")
origins = {each["spdxElementId"]: each["relatedSpdxElement"] for each in bill["relationships"]
           if each["relationshipType"] == "GENERATED_FROM"}
for name, entry in listed.items():
    data = files[name].read_bytes()
    sums = {each["algorithm"]: each["checksumValue"] for each in entry["checksums"]}
    check(sums == {"SHA1": hashlib.sha1(data).hexdigest(), "SHA256": hashlib.sha256(data).hexdigest()},
          f"the bill has other checksums than {name}")
    origin = packages[origins[entry["SPDXID"]]]["name"]
    check((origin == "quadrille") == (name in PROGRAMS), f"the bill says that {name} is from {origin}")

# ---- packages: the records for scanners, and the licenses ----

for package in packages.values():
    if package in own:
        continue
    name = package["name"]
    record = root / "var/lib/dpkg/status.d" / name
    check(record.exists() and f"\nVersion: {package['versionInfo']}\n" in record.read_text(), f"no record of {name}")
    check(f"/usr/share/doc/{name}/copyright" in files, f"no license of {name}")
    check(f"pkg:deb/debian/{name.replace('+', '%2B')}@" in package["externalRefs"][0]["referenceLocator"],
          f"no address of {name}")
check("/usr/share/doc/quadrille/LICENSE" in files, "no license of quadrille")

for problem in problems:
    print(problem)
print(f"{len(libraries)} libraries of {len(packages) - 1} packages, "
      f"{sum(path.stat().st_size for path in files.values())} bytes")
sys.exit(1 if problems else 0)
