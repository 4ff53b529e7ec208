import { eventKinds, subscribedKinds, unknownKindErrors } from "./event-kinds.js";

test.each([
  ["none is all", [], eventKinds],
  ["in the order of the list, once", ["cron", "build.started", "cron"], ["build.started", "cron"]],
  ["what is unknown is left out", ["cron", "builds"], ["cron"]],
])("listened: %s", (_, names, expected) => {
  expect(subscribedKinds(names)).toEqual(expected);
});

test.each([
  [["cron", "build.tagged"], []],
  [
    ["cron", "Cron", "", "Cron"],
    ["Events unknown event Cron", "Events unknown event "],
  ],
])("unknown among %j", (names, complaints) => {
  expect(unknownKindErrors(names)).toEqual(complaints);
});
