import { eventKinds, subscribedKinds, unknownKindErrors } from "./event-kinds.js";

test.each([
  ["an empty list means all", [], eventKinds],
  [
    "a repeated kind counts once, in the order of all kinds",
    ["cron", "build.started", "cron"],
    ["build.started", "cron"],
  ],
  ["an unknown kind is left out", ["cron", "builds"], ["cron"]],
])("subscribed kinds: %s", (_, names, expected) => {
  expect(subscribedKinds(names)).toEqual(expected);
});

test.each([
  [["cron", "build.tagged"], []],
  [
    ["cron", "Cron", "", "Cron"],
    ["Events unknown event Cron", "Events unknown event "],
  ],
])("reports unknown kinds among %j", (names, complaints) => {
  expect(unknownKindErrors(names)).toEqual(complaints);
});
