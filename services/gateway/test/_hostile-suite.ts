import { generateKeyPairSync } from "node:crypto";
import type { Api } from "@ci/testkit/api";
import { aBuild, aManifest, aWord } from "@ci/testkit/builders";
import { constellation, created, type SignedUp } from "@ci/testkit/constellation";
import { type HostileField, hostileFields, hostileValues, type Places } from "./_hostile.js";

/** Creates the records that hostile requests are about. */
export async function placesOf(api: Api, user: string): Promise<Places> {
  const { name: namespace } = created(await api.post("/namespaces", { name: aWord("ns") }));
  const privateKey = generateKeyPairSync("ed25519").privateKey.export({ format: "pem", type: "pkcs8" });
  const [webhook, cron, key] = [
    created(await api.post(`/n/${user}/${namespace}/-/webhooks`, { payload_url: "https://example.com" })),
    created(await api.post("/cron", { name: aWord(), manifest: aManifest() })),
    created(await api.post("/keys", { name: aWord(), key: privateKey })),
  ];
  created(await api.post("/builds", aBuild()));
  return { user, namespace, ids: { webhook: webhook.id, cron: cron.id, key: key.id } };
}

/** Sends hostile values in fields, and expects complaints for them and answers for an innocent user beside them. */
export function hostileSuite(select: (field: number, value: number) => boolean): void {
  const ci = constellation();
  let [ann, innocent]: SignedUp[] = [];
  let places: Places;

  beforeAll(async () => {
    [ann, innocent] = await Promise.all([ci.signUp(), ci.signUp()]);
    places = await placesOf(ann, ann.username);
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
