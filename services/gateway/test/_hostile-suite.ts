import { generateKeyPairSync } from "node:crypto";
import { aBuild, aManifest, aWord } from "@ci/testkit/builders";
import { constellation, created, type SignedUp } from "@ci/testkit/constellation";
import { type HostileField, hostileFields, hostileValues, type Places } from "./_hostile.js";

/** Sends hostile values in fields, and expects complaints for them and answers for an innocent user beside them. */
export function hostileSuite(select: (field: number, value: number) => boolean): void {
  const ci = constellation();
  let [ann, innocent]: SignedUp[] = [];
  let places: Places;

  beforeAll(async () => {
    [ann, innocent] = await Promise.all([ci.signUp(), ci.signUp()]);
    const { name } = created(await ann.post("/namespaces", { name: aWord("ns") }));
    const privateKey = generateKeyPairSync("ed25519").privateKey.export({ format: "pem", type: "pkcs8" });
    const [webhook, cron, key] = [
      created(await ann.post(`/n/${ann.username}/${name}/-/webhooks`, { payload_url: "https://example.com" })),
      created(await ann.post("/cron", { name: aWord(), manifest: aManifest() })),
      created(await ann.post("/keys", { name: aWord(), key: privateKey })),
    ];
    created(await ann.post("/builds", aBuild()));
    places = { user: ann.username, namespace: name, ids: { webhook: webhook.id, cron: cron.id, key: key.id } };
  });

  const send = ({ method, path, body, byAdmin }: HostileField, value: string) =>
    (byAdmin ? ci.admin : ann!).send(method, path(places), {
      body: body(value),
      headers: { "content-type": "application/json" },
    });

  const cases = hostileFields.flatMap((field, at) =>
    Object.entries(hostileValues)
      .filter((_, value) => select(at, value))
      .map(([name, value]) => [field.title, name, field, value] as const),
  );

  test.each(cases)("%s: %s", async (_title, _name, field, value) => {
    const [response, beside] = await Promise.all([send(field, value), innocent!.get("/user")]);
    expect(response.status).toBeLessThan(500);
    expect(response.bytes.length).toBeLessThan(4 * 1024 * 1024);
    if (response.status === 400)
      expect(Buffer.byteLength(Object.values(response.json).flat().join(""))).toBeLessThanOrEqual(8 * 1024);
    expect(beside.status).toBe(200);
  });
}
