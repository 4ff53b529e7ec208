import { suite } from "@ci/testkit/suite";
import { MongoClient } from "mongodb";
import { type AuditDoc, outcomeOf } from "../src/domain/audit.js";
import { auditStore } from "../src/store/audit.js";

const names = suite();
const entry = (id: string, status?: number): AuditDoc => ({
  ...{ _id: id, at: new Date(0), actor: "user", username: "ann", tokenName: "t", action: "pinBuild", kind: "build" },
  ...{ method: "PATCH", path: "/p", record: "", namespace: "", origin: "", address: "", userAgent: "", requestId: "r" },
  ...{ status, outcome: outcomeOf(status) },
});

it("entries that begin and entries that end are one write, and an end stays whatever arrives after it", async () => {
  await using client = new MongoClient(names.mongoUrl, { monitorCommands: true, ignoreUndefined: true });
  const db = client.db(names.mongoDb);
  const audit = auditStore(db);
  await audit.record([entry("earlier")]);
  const commands: string[] = [];
  client.on("commandStarted", ({ commandName }) => commands.push(commandName));
  await audit.record([entry("earlier", 200), entry("new"), entry("both", 404), entry("both"), entry("whole", 500)]);
  expect(commands).toEqual(["update"]);
  await audit.record([entry("earlier"), entry("whole", 200)]);
  const stored = await db.collection<AuditDoc>("audit").find({ action: "pinBuild" }).sort({ _id: 1 }).toArray();
  expect(stored.map(({ _id, status, outcome }) => [_id, status, outcome])).toEqual([
    ["both", 404, "refused"],
    ["earlier", 200, "done"],
    ["new", undefined, "unfinished"],
    ["whole", 500, "failed"],
  ]);
  expect(stored.every(({ username, method }) => username === "ann" && method === "PATCH")).toBe(true);
});
