import { eventually } from "@ci/testkit/eventually";
import { suite } from "@ci/testkit/suite";
import { gatewayWith } from "./_peers.js";

const names = suite();
const MiB = 1024 ** 2;

test("large bodies of an address are passed on one after the other, and a small one at once", async () => {
  const arrived: number[] = [];
  const ends: (() => void)[] = [];
  const receiveHook = async ({ body }: { body: Uint8Array }) => {
    arrived.push(body.length);
    if (body.length > MiB) await new Promise<void>((end) => ends.push(end));
    return { builds: [] };
  };
  await using gateway = await gatewayWith(names, { repositories: { getHook: async () => ({}), receiveHook } });
  const send = (bytes: number) => gateway.send("POST", "/hooks/github/1", { body: Buffer.alloc(bytes) });
  const large = [send(5 * MiB), send(5 * MiB), send(5 * MiB)];
  await eventually(() => expect(arrived).toEqual([5 * MiB]));
  for (let i = 0; i < 20; i++) expect((await send(1_000)).status).toBe(202);
  expect(arrived.filter((bytes) => bytes > MiB)).toHaveLength(1);
  for (const nth of large.keys()) {
    await eventually(() => expect(ends).toHaveLength(nth + 1));
    ends[nth]!();
  }
  for (const response of large) expect((await response).status).toBe(202);
});
