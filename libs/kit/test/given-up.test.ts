import { AccountServiceDefinition } from "@ci/proto/namespaces/v1/accounts";
import { eventually } from "@ci/testkit/eventually";
import { connect, serveRpc } from "@ci/testkit/identities";
import { createLog } from "../src/process/log.js";

const { getUser } = AccountServiceDefinition.methods;
const definition = { ...AccountServiceDefinition, methods: { getUser } } as const;
const log = createLog("test", "silent");
type Signalled = { readonly signal: AbortSignal };

const readings = ["at once", "later"] as const;

/** Serves a call that never ends. Returns a client for it, and the calls, whose handlers read the signal then. */
async function serveEndless(reads: (typeof readings)[number], ping?: () => Promise<unknown>) {
  const calls: Signalled[] = [];
  const handlers = {
    getUser(_request: unknown, options: Signalled): Promise<never> {
      calls.push(reads === "later" ? options : { signal: options.signal });
      return new Promise(() => undefined);
    },
  };
  const server = await serveRpc({ listen: "127.0.0.1:0", log, ping }, (router) => router.add(definition, handlers));
  const peer = connect(`127.0.0.1:${server.port}`);
  return {
    calls,
    call: (signal?: AbortSignal) => peer.client(definition).getUser({ by: { $case: "id", value: 1 } }, { signal }),
    async [Symbol.asyncDispose]() {
      await peer[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

test.each(readings)(
  "a handler that asks %s learns that its call was given up, as the database is silent",
  async (reads) => {
    await using served = await serveEndless(reads, () => Promise.reject(new Error("silent")));
    await expect(served.call()).rejects.toMatchObject({ code: "unavailable" });
    expect(served.calls.map(({ signal }) => signal.aborted)).toEqual([true]);
  },
);

test.each(readings)("a handler that asks %s learns that its caller went away", async (reads) => {
  await using served = await serveEndless(reads, async () => undefined);
  const leaving = new AbortController();
  const call = served.call(leaving.signal);
  await eventually(() => expect(served.calls).toHaveLength(1));
  leaving.abort();
  await expect(call).rejects.toThrow();
  await eventually(() => expect(served.calls[0]!.signal.aborted).toBe(true));
});
