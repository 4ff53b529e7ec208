import { generateKeyPairSync } from "node:crypto";
import type { Api } from "@ci/testkit/api";
import { aWord } from "@ci/testkit/builders";
import { created } from "@ci/testkit/constellation";

/** The namespace of a new record. */
export interface Target {
  readonly namespace: string;
}

export interface Named {
  readonly id: number;
  readonly name: string;
}

export const diskType = "application/x-qemu-disk";
export const objectType = "text/plain; charset=utf-8";
const disk = Buffer.from([0x51, 0x46, 0x49, 0xfb, 1, 2, 3]);

/** PEM text of a private key. */
export const privateKey = generateKeyPairSync("ec", {
  namedCurve: "P-256",
  privateKeyEncoding: { type: "sec1", format: "pem" },
  publicKeyEncoding: { type: "spki", format: "pem" },
}).privateKey;

/** The requests that create a record, by default with a unique name. */
export const createRequests = {
  object: ({ namespace }: Target, name = aWord()) => ({
    path: `/objects?name=${name}&namespace=${encodeURIComponent(namespace)}`,
    body: "stored",
    headers: { "Content-Type": "text/plain" },
  }),
  image: ({ namespace }: Target, name = aWord()) => ({
    path: `/images?name=${name}&namespace=${encodeURIComponent(namespace)}`,
    body: disk,
    headers: { "Content-Type": diskType },
  }),
  variable: ({ namespace }: Target, key = aWord("V_")) => ({
    path: "/variables",
    json: { namespace, key, value: "value" },
  }),
  key: ({ namespace }: Target, name = aWord()) => ({
    path: "/keys",
    json: { namespace, name, key: privateKey },
  }),
};

const creatorOf =
  (kind: keyof typeof createRequests) =>
  async (api: Api, target: Target): Promise<Named> => {
    const name = aWord(kind === "variable" ? "V_" : "r");
    const { path, ...content } = createRequests[kind](target, name);
    return { id: created(await api.send("POST", path, content)).id, name };
  };
export const createObject = creatorOf("object");
export const createImage = creatorOf("image");
export const createVariable = creatorOf("variable");
export const createKey = creatorOf("key");
