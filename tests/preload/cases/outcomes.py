# Prints name and outcome of every test case in a JUnit file, without the times.
import sys
import xml.etree.ElementTree as xml

lines = []
for case in xml.parse(sys.argv[1]).iter("testcase"):
    outcome = ",".join(child.tag for child in case if not child.tag.startswith("system-"))
    lines.append(f"{case.get('name')} {case.get('status')} {outcome or 'passed'}")
print(*sorted(lines), sep="\n")
