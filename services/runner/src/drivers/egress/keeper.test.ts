import { createLog } from "@ci/kit/process/log";
import { type EgressOptions, keepEgress } from "./keeper.js";

const jumps = [{ hook: "OUTPUT", match: "-m owner --uid-owner 1-2" }] as const;

/** Keeps rules in a place that behaves as told, and records scripts and warnings. */
function kept(
  mode: EgressOptions["config"]["mode"],
  run: (nth: number) => Promise<void>,
  renewEveryMs = 60_000,
  waitMs?: number,
) {
  const scripts: string[] = [];
  const warnings: string[] = [];
  const note = ({ err }: { err: Error }) => void warnings.push(err.message);
  const log = Object.assign(createLog("runner", "silent"), { warn: note, error: note });
  const place = { renewEveryMs, run: (script: string) => run(scripts.push(script)) };
  const config = { mode, allow: [], image: "" };
  return { scripts, warnings, egress: keepEgress({ config, driver: "qemu", name: "r", jumps, place, log, waitMs }) };
}

const works = async () => undefined;
const fails = async () => {
  throw new Error("no iptables");
};
const hangs = () => new Promise<never>(() => undefined);

test("rules are set once, and again after the interval or when asked", async () => {
  const { egress, scripts } = kept("enforce", works);
  expect([await egress.ensure(), await egress.ensure(), scripts.length]).toEqual([true, true, 1]);
  egress.distrust();
  expect([await egress.ensure(), scripts.length, egress.enforced()]).toEqual([true, 2, true]);
  const renewed = kept("enforce", works, 0);
  expect([await renewed.egress.ensure(), await renewed.egress.ensure(), renewed.scripts.length]).toEqual([
    true,
    true,
    2,
  ]);
});

test("rules that were in force are removed, also while they are late to be set again", async () => {
  const { egress, scripts } = kept("enforce", (nth) => (nth === 2 ? hangs() : works()), 0, 1);
  expect([await egress.ensure(), await egress.ensure()]).toEqual([true, false]);
  await egress.remove();
  expect(scripts).toHaveLength(3);
});

test("questions at the same time set them once", async () => {
  const { egress, scripts } = kept("enforce", works, 0);
  expect([await Promise.all([egress.ensure(), egress.ensure()]), scripts.length]).toEqual([[true, true], 1]);
});

test.each([
  ["enforce", false],
  ["warn", true],
] as const)("with %s and a filter that cannot be set, builds run: %s", async (mode, runs) => {
  const { egress, warnings } = kept(mode, fails);
  expect([await egress.ensure(), egress.enforced()]).toEqual([runs, false]);
  egress.distrust();
  expect(await egress.ensure()).toBe(runs);
  expect(warnings.length).toBe(1);
});

test.each([
  ["enforce", false],
  ["warn", true],
] as const)(
  "with %s and a filter that takes long to set, the log says that and what came of it, and builds run: %s",
  async (mode, runs) => {
    const attempts: ((reason: Error) => void)[] = [];
    const slow = () => new Promise<void>((_resolve, reject) => void attempts.push(reject));
    const { egress, warnings } = kept(mode, slow, 60_000, 0);
    expect([await egress.ensure(), await egress.ensure(), egress.enforced()]).toEqual([runs, runs, false]);
    expect(warnings).toEqual(["Not set within 0 s, perhaps because JOB_EGRESS_IMAGE is still being pulled"]);
    attempts[0]!(new Error("no registry"));
    expect(await egress.ensure()).toBe(runs);
    expect(warnings.slice(1)).toEqual(["no registry"]);
  },
);

test("rules that were in force are not trusted while it takes long to set them again", async () => {
  const { egress, warnings } = kept("enforce", (nth) => (nth === 1 ? works() : hangs()), 0, 0);
  expect([await egress.ensure(), await egress.ensure(), warnings.length]).toEqual([true, false, 1]);
});

test("with open nothing is set or removed", async () => {
  const { egress, scripts } = kept("open", fails);
  expect([await egress.ensure(), egress.enforced()]).toEqual([true, false]);
  await egress.remove();
  expect(scripts).toEqual([]);
});

test("an attempt that hangs after a failed one holds up no build", async () => {
  const { egress, scripts } = kept("warn", (nth) => (nth === 1 ? fails() : hangs()));
  expect(await egress.ensure()).toBe(true);
  egress.distrust();
  expect([await egress.ensure(), await egress.ensure(), scripts.length]).toEqual([true, true, 2]);
});

test("a filter that could be set again enforces again", async () => {
  const { egress } = kept("enforce", (nth) => (nth === 1 ? fails() : works()));
  expect(await egress.ensure()).toBe(false);
  egress.distrust();
  await egress.ensure();
  expect([await egress.ensure(), egress.enforced()]).toEqual([true, true]);
});

test("rules are removed only if they were set", async () => {
  const { egress, scripts } = kept("enforce", works);
  await egress.remove();
  expect(scripts).toEqual([]);
  await egress.ensure();
  await egress.remove();
  expect([scripts.length, egress.enforced()]).toEqual([2, false]);
});
