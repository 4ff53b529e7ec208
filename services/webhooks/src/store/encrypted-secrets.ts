import type { EncryptedField } from "@ci/kit/security/rotate";
import { decrypt, encrypt, type Keyring, type Owner, reencrypt } from "@ci/kit/security/secrets";
import { findHeader, masked, type OwnHeader } from "../domain/own-headers.js";
import type { Secrets } from "../domain/secrets.js";

/** Secrets whose texts are encrypted for their webhook. Deliveries hold copies of such texts. */
export type EncryptedSecrets = Secrets;

/** Headers with encrypted values. Requests to any other origin must not carry them. */
export interface OwnHeaders {
  readonly origin: string;
  readonly list: readonly OwnHeader[];
}

const owner = (webhookId: number) => ({ kind: "webhook", id: webhookId });
const headerOwner = (webhookId: number) => ({ kind: "header of the webhook", id: webhookId });

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

/** Encrypts headers. Those with a masked value keep the value that is stored, under the first key if its own is known. */
export const encryptHeaders = (
  keys: Keyring,
  webhookId: number,
  headers: readonly OwnHeader[],
  stored: readonly OwnHeader[],
): OwnHeader[] =>
  headers.map(({ name, value }) => {
    const kept = value === masked ? findHeader(stored, name) : undefined;
    const renewed = kept && reencrypt(keys, kept.value, headerOwner(webhookId));
    return { name, value: renewed ?? encrypt(keys, value, headerOwner(webhookId)) };
  });

/** Decrypts the texts of one webhook. It caches the last ones, because most deliveries share them. */
export const textsDecrypter = (keys: Keyring, webhookId: number): TextsDecrypter =>
  cachingDecrypter(keys, owner(webhookId));

/** Does the same for the values of headers. */
export const headersDecrypter = (keys: Keyring, webhookId: number): TextsDecrypter =>
  cachingDecrypter(keys, headerOwner(webhookId));

type TextsDecrypter = (encrypted: readonly string[]) => readonly string[];

function cachingDecrypter(keys: Keyring, of: Owner): TextsDecrypter {
  let last: ReadonlyMap<string, string> = new Map();
  return (encrypted) => {
    last = new Map(encrypted.map((text) => [text, last.get(text) ?? decrypt(keys, text, of)]));
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
    collection: "webhooks",
    field: "headers",
    renewed: ({ _id, headers }: { _id: number; headers: OwnHeaders }, renew) => ({
      ...headers,
      list: headers.list.map(({ name, value }) => ({ name, value: renew(value, headerOwner(_id)) })),
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
