import { createServer, createChannel, createClient } from "nice-grpc";
import { ObjectServiceDefinition } from "@ci/proto/namespaces/v1/resources";
import { setTimeout as delay } from "node:timers/promises";
test("x", async () => {
  const seen: string[] = [];
  const server = createServer();
  server.add(ObjectServiceDefinition, {
    async uploadObject(request: any, { signal }: any) {
      let n = 0;
      try { for await (const _ of request) n++; } catch (e) { seen.push("threw " + e); throw e; }
      const a = signal.aborted;
      await delay(0); const b = signal.aborted;
      await delay(50);
      seen.push(`${n} ended, aborted ${a} ${b} ${signal.aborted}`);
      return {};
    },
    async getObject() { return {}; }, async listObjects() { return {}; }, async deleteObject() { return {}; }, async *readObject() {},
  } as any);
  const port = await server.listen("127.0.0.1:0");
  const channel = createChannel(`127.0.0.1:${port}`);
  const client = createClient(ObjectServiceDefinition, channel);
  for (let i = 0; i < 10; i++) {
    const ac = new AbortController();
    async function* gen() {
      yield { part: { $case: "header" as const, value: { name: "half", namespace: "" } } };
      yield { part: { $case: "chunk" as const, value: Buffer.alloc(1000) } };
      await delay(20);
      if (i % 2) throw new Error("source broke");
      ac.abort();
      await delay(1000);
    }
    await client.uploadObject(gen(), { signal: ac.signal }).catch((e) => seen.push(String(e)));
    await delay(100);
  }
  console.log(seen.join("\n"));
  channel.close();
  await server.shutdown();
});
