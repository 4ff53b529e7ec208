import { eventually } from "@ci/testkit/eventually";
import { repeated } from "../src/rpc/retry.js";

test("a call that fails only after a while is repeated, too", async () => {
  const from = performance.now();
  let calls = 0;
  const call = async () => {
    if (++calls > 1) return "response";
    await eventually(() => expect(performance.now() - from).toBeGreaterThan(2_500));
    throw new Error("The connection ended");
  };
  expect(await repeated(call, () => true)).toBe("response");
});
