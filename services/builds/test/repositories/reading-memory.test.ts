import { eventually } from "@ci/testkit/eventually";
import { gate } from "@ci/testkit/gate";
import { bootHooks, manifest } from "./_hooks.js";

let reading = 0;
let most = 0;
const held = gate();
const { suite, hooked } = bootHooks(
  { hookAnswerMs: 100, hookReadBytes: 32 * 1024 ** 2 },
  {
    before: async () => {
      most = Math.max(most, ++reading);
      await held.pass();
      reading--;
      return undefined;
    },
  },
);

it("reads as few commits at once as fit into the memory for them", async () => {
  const { git, push } = await hooked();
  const sha = await git.commit({ ".service-ci.yml": manifest });
  await Promise.all(Array.from({ length: 6 }, (_, n) => push({ sha, ref: `refs/heads/b${n}` })));
  // Four fit, of which one user gets half.
  await eventually(() => expect(reading).toBe(2));
  held.open();
  const deliveries = suite.database().collection("hookDeliveries");
  await eventually(async () =>
    expect(await deliveries.countDocuments({ _id: { $gt: "" }, sha: { $exists: true } } as never)).toBe(6),
  );
  expect(most).toBe(2);
});
