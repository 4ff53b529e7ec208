import { identifiers, listened, unknownEvents } from "./identifiers.js";

test.each([
  ["none is all", [], identifiers],
  ["in the order of the list, once", ["cron", "build.started", "cron"], ["build.started", "cron"]],
  ["what is unknown is left out", ["cron", "builds"], ["cron"]],
])("listened: %s", (_, names, expected) => {
  expect(listened(names)).toEqual(expected);
});

test.each([
  [["cron", "build.tagged"], []],
  [
    ["cron", "Cron", "", "Cron"],
    ["Events unknown event Cron", "Events unknown event "],
  ],
])("unknown among %j", (names, complaints) => {
  expect(unknownEvents(names)).toEqual(complaints);
});
