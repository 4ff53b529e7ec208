import type { EncryptedField } from "@ci/kit/security/rotate";
import { decrypt, encrypt, type Keyring, reencrypt } from "@ci/kit/security/secrets";
import type { Secrets } from "../domain/secrets.js";

/** Secrets whose texts are sealed, for their webhook. Deliveries hold copies of such texts. */
export type SealedSecrets = Secrets;

const owner = (webhookId: number) => ({ kind: "webhook", id: webhookId });

export const sealSecrets = (keys: Keyring, webhookId: number, { current, earlier }: Secrets): SealedSecrets => ({
  current: current === undefined ? undefined : encrypt(keys, current, owner(webhookId)),
  earlier: earlier.map(({ text, until }) => ({ text: encrypt(keys, text, owner(webhookId)), until })),
});

/** Fault `internal` when the key they were sealed with is gone. */
export const openSecrets = (keys: Keyring, webhookId: number, { current, earlier }: SealedSecrets): Secrets => ({
  current: current === undefined ? undefined : decrypt(keys, current, owner(webhookId)),
  earlier: earlier.map(({ text, until }) => ({ text: decrypt(keys, text, owner(webhookId)), until })),
});

/** Sealed texts of a webhook or of its deliveries, in the clear. Fault `internal` as above. */
export const openTexts = (keys: Keyring, webhookId: number, sealed: readonly string[]): string[] =>
  sealed.map((text) => decrypt(keys, text, owner(webhookId)));

/** Sealed texts of a webhook as new records are to hold them: with the first key, whatever the webhook still has. */
export const copiesOf = (keys: Keyring, webhookId: number, sealed: readonly string[]): string[] =>
  sealed.map((text) => reencrypt(keys, text, owner(webhookId)));

/** Everything that is sealed here. */
export const sealedFields: readonly EncryptedField[] = [
  {
    collection: "webhooks",
    field: "secrets",
    renewed: ({ _id, secrets: { current, earlier } }: { _id: number; secrets: SealedSecrets }, renew) => ({
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
