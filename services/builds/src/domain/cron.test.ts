import type { Namespace } from "@ci/proto/namespaces/v1/namespaces";
import {
  afterFailure,
  afterRun,
  asDeleted,
  type CronDoc,
  cronEvent,
  cronNameComplaints,
  isDue,
  mayMove,
  placeIn,
  runComment,
  runTag,
  toCron,
} from "./cron.js";

const at = (text: string) => new Date(`2026-${text}Z`);
const aCron = (fields: Partial<CronDoc> = {}): CronDoc => ({
  _id: 4,
  rev: 1,
  authorId: 8,
  userId: 7,
  scope: "u7",
  name: "nightly build",
  schedule: "daily",
  manifest: "driver: {type: os}",
  nextRun: at("11-22T00:00:00.000"),
  createdAt: at("11-21T12:00:00.000"),
  outbox: [],
  ...fields,
});
const aNamespace = (id: number, userId: number): Namespace => ({
  id,
  userId,
  rootId: 1,
  name: "app",
  path: "team/app",
  description: "",
  visibility: "private",
  createdAt: at("01-01T00:00:00.000"),
});

describe("the next run", () => {
  test("is the first one after a run, however many were missed", () => {
    expect(afterRun(aCron({ lastError: "x" }), at("11-25T10:00:00.500"))).toEqual({
      prevRun: at("11-25T10:00:00.500"),
      nextRun: at("11-26T00:00:00.000"),
      wakeAt: at("11-26T00:00:00.000"),
      lastError: undefined,
    });
  });

  test("moves on when no build could be made, and the last run stays what it was", () => {
    expect(afterFailure(aCron(), at("11-22T00:00:01.000"), "no")).toEqual({
      nextRun: at("11-23T00:00:00.000"),
      wakeAt: at("11-23T00:00:00.000"),
      lastError: "no",
    });
  });

  test("is never the due one again, also by a clock that was set back", () => {
    expect(afterRun(aCron(), at("11-21T23:59:59.000")).nextRun).toEqual(at("11-23T00:00:00.000"));
  });

  test("is due from its very moment on", () => {
    expect(isDue(aCron(), at("11-21T23:59:59.999"))).toBe(false);
    expect(isDue(aCron(), at("11-22T00:00:00.000"))).toBe(true);
  });

  test("is told by the trigger", () => {
    expect(runComment(aCron(), at("11-22T00:00:03.000"))).toBe(
      "nightly build: Scheduled build, next run 2026-11-23T00:00:00.000Z",
    );
  });
});

test.each([
  ["nightly", "cron:nightly"],
  [" a  b\tc/d ", "cron:-a--b\tc/d-"],
  ["x".repeat(200), `cron:${"x".repeat(95)}`],
  ["😀".repeat(100), `cron:${"😀".repeat(95)}`],
])("the tag of %j", (name, tag) => {
  expect(runTag(name, 100)).toBe(tag);
});

test.each([
  ["", ["Name field required"]],
  ["x".repeat(255), []],
  ["😀".repeat(255), []],
  ["x".repeat(256), ["Name cannot be longer than 255 characters in length"]],
])("the name %.10j", (name, complaints) => {
  expect(cronNameComplaints(name)).toEqual(complaints);
});

test("a place in a namespace is its owner's, one without is the user's", () => {
  expect(placeIn(aNamespace(3, 9), 7)).toEqual({ userId: 9, namespaceId: 3, rootId: 1, scope: "n3" });
  expect(placeIn(undefined, 7)).toEqual({ userId: 7, scope: "u7" });
});

describe("a manifest may send it", () => {
  const inside = aCron({ namespaceId: 3, scope: "n3" });
  test.each([
    ["where it is, by its user", inside, { name: "team/app", namespace: aNamespace(3, 7) }, 7, true],
    ["where it is, by a collaborator", inside, { name: "team/app", namespace: aNamespace(3, 7) }, 8, true],
    ["nowhere, where it is", aCron(), {}, 7, true],
    ["out, by its user", inside, {}, 7, true],
    ["out, by a collaborator", inside, {}, 8, false],
    ["to another of its user's, by its user", inside, { name: "x/y", namespace: aNamespace(4, 7) }, 7, true],
    ["to another of its user's, by a collaborator", inside, { name: "x/y", namespace: aNamespace(4, 7) }, 8, false],
    ["to somebody else's", inside, { name: "x@bob", namespace: aNamespace(4, 9) }, 7, false],
    ["to a new one, by its user", inside, { name: "new" }, 7, true],
    ["to a new one, by a collaborator", inside, { name: "new" }, 8, false],
    ["to a new one that says whose it is", inside, { name: "new@ANN" }, 7, true],
    ["to a new one below somebody else's", inside, { name: "team/new@bob" }, 7, false],
    ["to a new one, from none", aCron(), { name: "new" }, 7, true],
    ["to a new one below somebody else's, from none", aCron(), { name: "team/new@bob" }, 7, false],
  ])("%s", (_where, doc, destination, caller, may) => {
    expect(mayMove(doc, destination, caller, "ann")).toBe(may);
  });
});

test("the record shows nothing of how it is kept", () => {
  const kept = aCron({
    namespaceId: 3,
    rootId: 1,
    wakeAt: at("11-22T00:00:00.000"),
    prevRun: at("11-21T00:00:00.000"),
  });
  const shown = {
    id: 4,
    authorId: 8,
    userId: 7,
    namespaceId: 3,
    name: "nightly build",
    schedule: "daily",
    manifest: "driver: {type: os}",
    prevRun: at("11-21T00:00:00.000"),
    nextRun: at("11-22T00:00:00.000"),
    createdAt: at("11-21T12:00:00.000"),
  };
  expect(toCron(kept)).toEqual(shown);
  expect(toCron({ ...kept, ...asDeleted(kept, at("11-21T13:00:00.000")) })).toEqual(shown);
});

test("an event goes to the namespace, unless that is gone itself", () => {
  const doc = aCron({ namespaceId: 3 });
  const told = { at: at("11-21T13:00:00.000"), actorId: 8 };
  expect(JSON.parse(cronEvent(doc, "created", told).json)).toMatchObject({
    kind: "cron",
    namespaceId: 3,
    actorId: 8,
  });
  expect(JSON.parse(cronEvent(doc, "deleted", { at: told.at }, "nobody").json)).not.toHaveProperty("namespaceId");
});
