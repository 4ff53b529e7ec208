import { readFileSync } from "node:fs";
import { join } from "node:path";
import { answers } from "../test/answers.js";

const recorded = readFileSync(join(__dirname, "../test/answers.jsonl"), "utf8").trimEnd().split("\n");

test.each(answers.map(([name, json], index) => [index + 1, name, json]))(
  "answer %d, a %s, is byte for byte the recorded one",
  (line, name, json) => expect(`${name} ${JSON.stringify(json)}`).toBe(recorded[Number(line) - 1]),
);
