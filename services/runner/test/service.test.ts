import { eventually } from "@ci/testkit/eventually";
import { anAssignment } from "./_assignment.js";
import { bootRunner } from "./_suite.js";

const booted = bootRunner();

test("the runner finds builds without a message, one after another", async () => {
  const builds = Array.from({ length: 7 }, () => booted.queue.submit(anAssignment({}, ["true"])));
  await eventually(() => expect(builds.every(({ final }) => final === "passed")).toBe(true));
});

test("the runner never runs more builds at once than its limit", async () => {
  const before = booted.queue.calls.length;
  const builds = Array.from({ length: 3 }, () => booted.submit(anAssignment({}, ["echo up; sleep 1000; :"])));
  await eventually(() => expect(builds.filter(({ text }) => text.includes("\nup")).length).toBe(2));
  booted.bus.nudge("queue.os");
  await eventually(() => expect(booted.queue.calls.length).toBeGreaterThan(before + 3));
  expect(builds.map(({ jobIndex }) => jobIndex)).toEqual([1, 1, -1]);
  booted.kill(builds[0]!);
  await eventually(() => expect(builds[2]!.text).toContain("\nup"));
  for (const build of builds.slice(1)) booted.kill(build);
  await eventually(() => expect(builds.map(({ final }) => final)).toEqual(["killed", "killed", "killed"]));
});

test("a stopping runner gives its builds back after it has removed their environments", async () => {
  const build = booted.submit(anAssignment({}, ["echo up; sleep 1000; :"]));
  await eventually(() => expect(build.text).toContain("\nup"));
  await eventually(async () => expect(await booted.folders()).toHaveLength(1));
  const foldersAtReturn = new Promise((resolve) => booted.queue.onCall("returnBuild", () => resolve(booted.folders())));
  await booted.stop();
  expect(build.returned).toBe(true);
  expect(await foldersAtReturn).toEqual([]);
  expect(build.final).toBeUndefined();
});
