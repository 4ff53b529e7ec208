import { AccountServiceDefinition } from "@ci/proto/namespaces/v1/accounts";
import { eventually } from "@ci/testkit/eventually";
import { connect, serveRpc } from "@ci/testkit/identities";
import { createLog } from "../src/process/log.js";

const { getUser } = AccountServiceDefinition.methods;
const definition = { ...AccountServiceDefinition, methods: { getUser } } as const;

test("a call that no reply ends fails as unavailable at its deadline, and the server gives it up", async () => {
  let served: AbortSignal | undefined;
  const handlers = {
    async getUser(_request: unknown, { signal }: { readonly signal: AbortSignal }): Promise<never> {
      served = signal;
      return new Promise(() => undefined);
    },
  };
  const log = createLog("test", "silent");
  await using server = await serveRpc({ listen: "127.0.0.1:0", log }, (router) => router.add(definition, handlers));
  await using peer = connect(`127.0.0.1:${server.port}`);
  const call = peer.client(definition).getUser({ by: { $case: "id", value: 1 } });
  await expect(call).rejects.toMatchObject({ code: "unavailable", message: "Service unavailable" });
  await eventually(() => expect(served!.aborted).toBe(true));
});
