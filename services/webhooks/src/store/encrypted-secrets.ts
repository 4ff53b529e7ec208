import type { EncryptedField } from "@ci/kit/security/rotate";
import { decrypt, encrypt, type Keyring, reencrypt } from "@ci/kit/security/secrets";
import type { Secrets } from "../domain/secrets.js";

/** Secrets whose texts are encrypted for their webhook. Deliveries hold copies of such texts. */
export type EncryptedSecrets = Secrets;

const owner = (webhookId: number) => ({ kind: "webhook", id: webhookId });

export const encryptSecrets = (keys: Keyring, webhookId: number, { current, earlier }: Secrets): EncryptedSecrets => ({
  current: current === undefined ? undefined : encrypt(keys, current, owner(webhookId)),
  earlier: earlier.map(({ text, until }) => ({ text: encrypt(keys, text, owner(webhookId)), until })),
});

/** Throws `internal` if the encryption key is missing. */
export const decryptSecrets = (keys: Keyring, webhookId: number, { current, earlier }: EncryptedSecrets): Secrets => ({
  current: current === undefined ? undefined : decrypt(keys, current, owner(webhookId)),
  earlier: earlier.map(({ text, until }) => ({ text: decrypt(keys, text, owner(webhookId)), until })),
});

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
    renewed: ({ _id, secrets: { current, earlier } }: { _id: number; secrets: EncryptedSecrets }, renew) => ({
      current: current === undefined ? undefined : renew(current, owner(_id)),
      earlier: earlier.map(({ text, until }) => ({ text: renew(text, owner(_id)), until })),
    }),
  },
  {
    collection: "deliveries",
    field: "secrets",
    reads: ["webhookId"],
    renewed: ({ webhookId, secrets }: { webhookId: number; secrets: readonly string[] }, renew) =>
      secrets.map((text) => renew(text, owner(webhookId))),
  },
];
