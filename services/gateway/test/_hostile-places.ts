import { generateKeyPairSync } from "node:crypto";
import type { Api } from "@ci/testkit/api";
import { aBuild, aManifest, aWord } from "@ci/testkit/builders";
import { created } from "@ci/testkit/constellation";
import type { Places } from "./_hostile.js";

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
