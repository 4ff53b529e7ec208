import { complaintLine } from "./complaint-line.js";

test.each([
  ["ci.yml:2:1: unknown key stage", { message: "Manifest line 2: unknown key stage", line: 2, column: 1 }],
  ["ci.yml:3:7: is empty", { message: "Manifest line 3, column 7: is empty", line: 3, column: 7 }],
  ["ci.yml: Manifest line 9: kept", { message: "Manifest line 9: kept", line: null, column: null }],
])("%s", (line, complaint) => expect(complaintLine("ci.yml", complaint)).toBe(line));
