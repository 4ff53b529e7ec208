"""Inserts existing records into the paths of requests. config.mjs writes the file with their values."""

import json
import os
import random
from urllib.parse import unquote

import schemathesis

with open(os.environ["FUZZ_KNOWN"], encoding="utf-8") as file:
    known = json.load(file)


@schemathesis.hook
def before_call(context, case, kwargs):
    # A repeated case uses the same record.
    chance = random.Random(f"{case.operation.label} {case.path_parameters} {case.query} {case.body}")
    for name, (values, never) in known["paths"].get(case.operation.label, {}).items():
        if name not in case.path_parameters:
            continue
        # Also when it is percent-encoded or has leading zeros.
        is_protected = unquote(str(case.path_parameters[name])).strip("/").lstrip("0") in never
        if is_protected or chance.random() < known["share"]:
            case.path_parameters[name] = chance.choice(values)
