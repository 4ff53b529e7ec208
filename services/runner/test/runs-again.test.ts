import { chmod, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createLog } from "@ci/kit/process/log";
import type { Assignment } from "@ci/proto/builds/v1/queue";
import { eventually } from "@ci/testkit/eventually";
import { osDriver } from "../src/drivers/os.js";
import { isRoot } from "../src/drivers/user.js";
import { workRoot } from "../src/drivers/work-root.js";
import { anAssignment } from "./_assignment.js";
import { aFolder } from "./_os.js";
import { never, orderOf } from "./_subject.js";
import { bootRunner, osUids } from "./_suite.js";

const booted = bootRunner();
const { submit } = booted;

afterEach(() => eventually(async () => expect(await booted.folders()).toEqual([])));

let log: string;
let endless: string;
const lines = async () => (await readFile(log, "utf8")).split("\n");
beforeEach(async () => {
  log = join(aFolder(), "log");
  endless = `trap '' TERM; while :; do echo first >> ${log}; sleep 0.01; done`;
  await writeFile(log, "");
  await chmod(log, 0o666);
});

/** Submits a build once more, after its first attempt has begun. Expects that its script then runs alone. */
async function expectAlone(first: Assignment, whenSubmitted = () => {}): Promise<void> {
  await eventually(async () => expect(await lines()).toContain("first"));
  const [setup, job] = anAssignment({}, [`echo again >> ${log}`, "sleep 1"]).jobs;
  const again = submit({ ...first, epoch: 2, jobs: [setup!, job!] });
  whenSubmitted();
  await eventually(() => expect(again.final).toBe("passed"));
  expect((await lines()).slice(-2)).toEqual(["again", ""]);
}

test("a build runs here again only when the environment that was being removed is gone", async () => {
  const first = anAssignment({}, [endless]);
  submit(first);
  await expectAlone(first, () => booted.bus.nudge(`kill.${first.buildId}`));
});

test("a build runs here again only when the environment that a crash left is gone", async () => {
  const { dir, name, path } = booted.config;
  const root = await workRoot(dir, name);
  const uids = isRoot() ? osUids : undefined;
  const driver = await osDriver({ root, path, uids, log: createLog("runner", "silent") });
  const first = anAssignment({}, [endless]);
  const order = orderOf({ order: { image: "", workspace: "" } }, [endless], { mark: first });
  const environment = driver.environment(order);
  await environment.prepare(() => undefined, never);
  environment.run(order.jobs[0]!, async () => undefined, never).catch(() => undefined);
  await expectAlone(first);
});
