import type { EncryptedField } from "@ci/kit/security/rotate";
import { decrypt, encrypt, type Keyring, reencrypt } from "@ci/kit/security/secrets";
import type { Secrets } from "../domain/secrets.js";

/** Secrets whose texts are encrypted for their webhook. Deliveries hold copies of such texts. */
export type EncryptedSecrets = Secrets;

const owner = (webhookId: number) => ({ kind: "webhook", id: webhookId });

const mapTexts = ({ current, earlier, replaced }: Secrets, map: (text: string) => string): Secrets => ({
  current: current === undefined ? undefined : map(current),
  earlier: earlier.map(({ text, until }) => ({ text: map(text), until })),
  ...(replaced && { replaced: replaced.map(({ texts, until }) => ({ texts: texts.map(map), until })) }),
});

export const encryptSecrets = (keys: Keyring, webhookId: number, secrets: Secrets): EncryptedSecrets =>
  mapTexts(secrets, (text) => encrypt(keys, text, owner(webhookId)));

/** Throws `internal` if the encryption key is missing. */
export const decryptSecrets = (keys: Keyring, webhookId: number, secrets: EncryptedSecrets): Secrets =>
  mapTexts(secrets, (text) => decrypt(keys, text, owner(webhookId)));

/** Encrypts removed secrets with the first key. Drops them if a key of theirs is missing. */
export function reencryptSecrets(keys: Keyring, webhookId: number, secrets: EncryptedSecrets): EncryptedSecrets {
  try {
    return mapTexts(secrets, (text) => reencrypt(keys, text, owner(webhookId)));
  } catch {
    return { earlier: [] };
  }
}

/** Decrypts the texts of one webhook. It caches the last ones, because most deliveries share them. */
export function textsDecrypter(keys: Keyring, webhookId: number): (encrypted: readonly string[]) => readonly string[] {
  let last: ReadonlyMap<string, string> = new Map();
  return (encrypted) => {
    last = new Map(encrypted.map((text) => [text, last.get(text) ?? decrypt(keys, text, owner(webhookId))]));
    return encrypted.map((text) => last.get(text)!);
  };
}

/** Encrypts texts for new records with the first key, whichever key the webhook's own texts have. */
export const reencryptTexts = (keys: Keyring, webhookId: number, encrypted: readonly string[]): string[] =>
  encrypted.map((text) => reencrypt(keys, text, owner(webhookId)));

export const encryptedFields: readonly EncryptedField[] = [
  {
    collection: "webhooks",
    field: "secrets",
    renewed: ({ _id, secrets }: { _id: number; secrets: EncryptedSecrets }, renew) =>
      mapTexts(secrets, (text) => renew(text, owner(_id))),
  },
  {
    collection: "deliveries",
    field: "secrets",
    reads: ["webhookId"],
    renewed: ({ webhookId, secrets }: { webhookId: number; secrets: readonly string[] }, renew) =>
      secrets.map((text) => renew(text, owner(webhookId))),
  },
];
