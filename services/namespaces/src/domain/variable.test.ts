import { variableKeyComplaints, variableValueComplaints } from "./variable.js";

const pattern = ["Key does not match ^[A-Za-z_][A-Za-z0-9_]*$"];

test.each([
  ["PATH", []],
  ["_", []],
  ["a1", []],
  ["", ["Key field required"]],
  ["1a", pattern],
  ["a-b", pattern],
  ["a b", pattern],
  ["é", pattern],
  ["A\n", pattern],
])("checks the key %p", (key, complaints) => {
  expect(variableKeyComplaints(key)).toEqual(complaints);
});

const short = ["Value cannot be shorter than 6 characters in length"];
const long = ["Value cannot be longer than 65536 bytes"];

test.each([
  ["x", false, []],
  ["", false, ["Value field required"]],
  ["", true, ["Value field required"]],
  ["x\0y", false, ["Value cannot contain NUL"]],
  ["12345", true, short],
  ["123456", true, []],
  ["💥💥💥", true, short],
  ["💥💥💥💥💥💥", true, []],
  ["a".repeat(65_536), false, []],
  ["a".repeat(65_537), false, long],
  ["é".repeat(32_769), true, long],
])("checks the value %.20j (masked: %p)", (value, masked, complaints) => {
  expect(variableValueComplaints(value, masked)).toEqual(complaints);
});
