import { Assignment } from "@ci/proto/builds/v1/queue";
import { orderOf } from "./order.js";

const driver = { type: "docker", image: "a", workspace: "/b", pullAlways: false, keepOnFailureMinutes: 0 } as const;

test.each([
  ["an earlier version", {}, { pullAlways: false, pullIfNotPresent: false }],
  ["pull: always", { pullAlways: true }, { pullAlways: true, pullIfNotPresent: false }],
  ["pull: if-not-present", { pullIfNotPresent: true }, { pullAlways: false, pullIfNotPresent: true }],
])("an assignment of %s says when to pull", (_of, more, expected) => {
  const sent = Assignment.encode(Assignment.fromPartial({ driver: { ...driver, ...more } })).finish();
  expect(orderOf(Assignment.decode(sent))).toMatchObject(expected);
});
