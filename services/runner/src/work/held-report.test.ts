import { holdReport } from "./held-report.js";

const end = { jobId: 1, offset: 0, text: "ready\n", placedObjectIds: [] };

function hold() {
  const calls: string[] = [];
  const held = holdReport(end, async () => {
    calls.push("alone");
    return { final: true };
  });
  const sendWith = () =>
    held.sendWith(async ({ text, ageMs }) => {
      calls.push(`with ${text.trim()}, ${ageMs >= 0}`);
      return { final: true };
    });
  return { held, calls, sendWith };
}

test("a report travels with the next one, whose reply tells nothing about the first job", async () => {
  const { held, calls, sendWith } = hold();
  expect(await sendWith()).toEqual({ final: true });
  expect(await held.sent).toEqual({ final: false });
  expect(await held.send()).toEqual({ final: false });
  expect(calls).toEqual(["with ready, true"]);
});

test("a report that nothing fetches is sent alone after a moment", async () => {
  const { held, calls } = hold();
  expect(await held.sent).toEqual({ final: true });
  expect(calls).toEqual(["alone"]);
});

test("a report that is needed now is sent once, and the next one goes alone", async () => {
  const { held, calls, sendWith } = hold();
  expect(await Promise.all([held.send(), held.send()])).toEqual([{ final: true }, { final: true }]);
  expect(sendWith()).toBeUndefined();
  expect(calls).toEqual(["alone"]);
});

test("a failure of the common call fails both reports", async () => {
  const { held } = hold();
  const together = held.sendWith(async () => {
    throw new Error("gone");
  });
  await expect(together).rejects.toThrow("gone");
  await expect(held.sent).rejects.toThrow("gone");
});
