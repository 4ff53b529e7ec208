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
  placementIn,
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
  ancestorIds: [],
});

describe("the next run", () => {
  test("is the first one after a run, no matter how many were missed", () => {
    expect(afterRun(aCron({ lastError: "x" }), at("11-25T10:00:00.500"))).toEqual({
      prevRun: at("11-25T10:00:00.500"),
      nextRun: at("11-26T00:00:00.000"),
      wakeAt: at("11-26T00:00:00.000"),
      lastError: undefined,
    });
  });

  test("advances when no build could be made, while the last run stays the same", () => {
    expect(afterFailure(aCron(), at("11-22T00:00:01.000"), "no")).toEqual({
      nextRun: at("11-23T00:00:00.000"),
      wakeAt: at("11-23T00:00:00.000"),
      lastError: "no",
    });
  });

  test("is never the due run again, even if the clock was set back", () => {
    expect(afterRun(aCron(), at("11-21T23:59:59.000")).nextRun).toEqual(at("11-23T00:00:00.000"));
  });

  test("is due from its exact time on", () => {
    expect(isDue(aCron(), at("11-21T23:59:59.999"))).toBe(false);
    expect(isDue(aCron(), at("11-22T00:00:00.000"))).toBe(true);
  });

  test("is stated in the trigger's comment", () => {
    expect(runComment(aCron(), at("11-22T00:00:03.000"))).toBe(
      "nightly build: Scheduled build, next run 2026-11-23T00:00:00.000Z",
    );
  });
});

test.each([
  ["nightly", "cron:nightly"],
  [" a  b\tc/d ", "cron:-a--b\tc/d-"],
  ["/../../n/ann/prod/.", "cron:/--/--/n/ann/prod/-"],
  ["x".repeat(200), `cron:${"x".repeat(95)}`],
  ["😀".repeat(100), `cron:${"😀".repeat(95)}`],
])("the run tag of %j is %j", (name, tag) => {
  expect(runTag(name, 100)).toBe(tag);
});

test.each([
  ["", ["Name field required"]],
  ["x".repeat(255), []],
  ["😀".repeat(255), []],
  ["x".repeat(256), ["Name cannot be longer than 255 characters in length"]],
])("the name %.10j has the complaints %j", (name, complaints) => {
  expect(cronNameComplaints(name)).toEqual(complaints);
});

test("a cron job in a namespace belongs to the namespace's owner, any other to its user", () => {
  expect(placementIn(aNamespace(3, 9), 7)).toEqual({ userId: 9, namespaceId: 3, rootId: 1, scope: "n3" });
  expect(placementIn(undefined, 7)).toEqual({ userId: 7, scope: "u7" });
});

describe("whether a manifest may move a cron job", () => {
  const inside = aCron({ namespaceId: 3, scope: "n3" });
  test.each([
    ["to its own namespace, by its user", true, inside, { name: "team/app", namespace: aNamespace(3, 7) }, 7],
    ["to its own namespace, by a collaborator", true, inside, { name: "team/app", namespace: aNamespace(3, 7) }, 8],
    ["from no namespace to none, by its user", true, aCron(), {}, 7],
    ["out of its namespace, by its user", true, inside, {}, 7],
    ["out of its namespace, by a collaborator", false, inside, {}, 8],
    ["to another namespace of its user, by its user", true, inside, { name: "x/y", namespace: aNamespace(4, 7) }, 7],
    [
      "to another namespace of its user, by a collaborator",
      false,
      inside,
      { name: "x/y", namespace: aNamespace(4, 7) },
      8,
    ],
    ["to another user's namespace", false, inside, { name: "x@bob", namespace: aNamespace(4, 9) }, 7],
    ["to a new namespace, by its user", true, inside, { name: "new" }, 7],
    ["to a new namespace, by a collaborator", false, inside, { name: "new" }, 8],
    ["to a new namespace with its owner's name", true, inside, { name: "new@ANN" }, 7],
    ["to a new namespace below another user's", false, inside, { name: "team/new@bob" }, 7],
    ["from none to a new namespace", true, aCron(), { name: "new" }, 7],
    ["from none to a new namespace below another user's", false, aCron(), { name: "team/new@bob" }, 7],
  ])("%s: %s", (_where, may, doc, destination, caller) => {
    expect(mayMove(doc, destination, caller, "ann")).toBe(may);
  });
});

test("the record has none of the internal fields", () => {
  const doc = aCron({
    namespaceId: 3,
    rootId: 1,
    wakeAt: at("11-22T00:00:00.000"),
    prevRun: at("11-21T00:00:00.000"),
  });
  const record = {
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
  expect(toCron(doc)).toEqual(record);
  expect(toCron({ ...doc, ...asDeleted(doc, at("11-21T13:00:00.000")) })).toEqual(record);
});

test("an event names its namespace, unless the namespace is deleted", () => {
  const doc = aCron({ namespaceId: 3 });
  const change = { at: at("11-21T13:00:00.000"), actorId: 8 };
  expect(JSON.parse(cronEvent(doc, "created", change).json)).toMatchObject({
    kind: "cron",
    namespaceId: 3,
    actorId: 8,
  });
  expect(JSON.parse(cronEvent(doc, "deleted", { at: change.at }, "nobody").json)).not.toHaveProperty("namespaceId");
});
