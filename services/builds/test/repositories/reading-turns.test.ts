import { eventually } from "@ci/testkit/eventually";
import { type Gate, gate } from "@ci/testkit/gate";
import type { HookDelivery } from "../../src/store/hook-deliveries.js";
import { fault } from "../_suite.js";
import { bootHooks, manifest, secret } from "./_hooks.js";

let reading = 0;
let most = 0;
let held: Gate = gate();
held.open();
const { suite, hooked } = bootHooks(
  { hookAnswerMs: 2_000 },
  {
    before: async () => {
      most = Math.max(most, ++reading);
      await held.pass();
      reading--;
      return undefined;
    },
  },
);

it("reads a few commits of a user at once, also those of new repositories, and all of them in the end", async () => {
  const hook = await hooked();
  const sha = await hook.git.commit({ ".service-ci.yml": manifest });
  most = 0;
  held = gate();
  const refs = Array.from({ length: 30 }, (_, n) => `refs/heads/b${n}`);
  const answers = await Promise.all(refs.map((ref) => hook.push({ sha, ref })));
  expect(answers.flat()).toEqual([]);
  await eventually(() => expect(most).toBe(4));
  const request = { namespaceId: hook.namespace.id, provider: "github", url: hook.git.url, secret, build: true };
  const connect = () => suite.as(suite.users.ann, () => suite.repositories.createRepository(request));
  expect(await fault(connect())).toMatchObject({ code: "exhausted" });
  held.open();
  const stored = suite.database().collection<HookDelivery>("hookDeliveries");
  const built = { _id: { $gt: "" }, sha, failures: 0, reasons: [] };
  await eventually(async () => expect(await stored.countDocuments(built)).toBe(30));
  expect((await connect()).repository).toMatchObject({ provider: "github" });
  expect(most).toBe(4);
});
