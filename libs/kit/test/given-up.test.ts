import { AccountServiceDefinition } from "@ci/proto/namespaces/v1/accounts";
import { eventually } from "@ci/testkit/eventually";
import { connect, serveRpc } from "@ci/testkit/identities";
import { createLog } from "../src/process/log.js";

const { getUser } = AccountServiceDefinition.methods;
const definition = { ...AccountServiceDefinition, methods: { getUser } } as const;
const log = createLog("test", "silent");
type Signalled = { readonly signal: AbortSignal };

/** Serves a call that never ends. Returns a client for it, and the signals of the calls. */
async function serveEndless(ping?: () => Promise<unknown>) {
  const signals: AbortSignal[] = [];
  const handlers = {
    getUser(_request: unknown, { signal }: Signalled): Promise<never> {
      signals.push(signal);
      return new Promise(() => undefined);
    },
  };
  const server = await serveRpc({ listen: "127.0.0.1:0", log, ping }, (router) => router.add(definition, handlers));
  const peer = connect(`127.0.0.1:${server.port}`);
  return {
    signals,
    call: (signal?: AbortSignal) => peer.client(definition).getUser({ by: { $case: "id", value: 1 } }, { signal }),
    async [Symbol.asyncDispose]() {
      await peer[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

test("the handler learns that its call was given up because the database is silent", async () => {
  await using served = await serveEndless(() => Promise.reject(new Error("silent")));
  await expect(served.call()).rejects.toMatchObject({ code: "unavailable" });
  expect(served.signals.map(({ aborted }) => aborted)).toEqual([true]);
});

test("the handler learns that its caller went away", async () => {
  await using served = await serveEndless(async () => undefined);
  const leaving = new AbortController();
  const call = served.call(leaving.signal);
  await eventually(() => expect(served.signals).toHaveLength(1));
  leaving.abort();
  await expect(call).rejects.toThrow();
  await eventually(() => expect(served.signals[0]!.aborted).toBe(true));
});
