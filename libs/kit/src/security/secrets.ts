import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject, randomBytes } from "node:crypto";
import { Fault } from "../rpc/fault.js";

/** The keys of the installation by id; `first` names the one that encrypts. */
export type Keyring = { readonly first: string; readonly keys: ReadonlyMap<string, KeyObject> };

/** The record a value belongs to. A sealed value opens only in the record it was sealed for. */
export type Owner = { readonly kind: string; readonly id: number | string };

const algorithm = "aes-256-gcm";
const nonceBytes = 12;
const tagBytes = 16;

/**
 * Reads `id:base64 of 32 bytes`, several separated by commas; the first encrypts, all decrypt.
 * Throws naming the bad entry by its position only: what stands there may be a key in the wrong place.
 */
export const parseKeys = (text: string): Keyring => {
  const keys = new Map<string, KeyObject>();
  for (const [index, entry] of text.split(",").entries()) {
    const bad = (what: string) => new Error(`Encryption key ${index + 1}: ${what}`);
    const [, id, value] = /^([^:]*):(.*)$/.exec(entry.trim()) ?? [];
    if (id === undefined || value === undefined) throw bad("expected id:base64");
    if (!/^[\w-]{1,32}$/.test(id)) throw bad("the id must be 1 to 32 letters, digits, - or _");
    if (!/^[A-Za-z0-9+/]+=*$/.test(value)) throw bad("the key is not base64");
    const bytes = Buffer.from(value, "base64");
    if (bytes.length !== 32) throw bad(`the key has ${bytes.length} bytes, expected 32`);
    if (keys.has(id)) throw bad("its id is used twice");
    keys.set(id, createSecretKey(bytes));
  }
  return { first: keys.keys().next().value!, keys };
};

// An array in JSON cannot be read as another pair, whatever the two hold.
const boundTo = ({ kind, id }: Owner): Buffer => Buffer.from(JSON.stringify([kind, String(id)]));

/** Encrypts for storage: `<key id>:<base64 of nonce, tag and ciphertext>`, different at each call. */
export const encrypt = (keyring: Keyring, plain: string | Buffer, owner: Owner): string => {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, keyring.keys.get(keyring.first)!, nonce, { authTagLength: tagBytes });
  cipher.setAAD(boundTo(owner));
  const secret = Buffer.concat([cipher.update(plain), cipher.final()]);
  return `${keyring.first}:${Buffer.concat([nonce, cipher.getAuthTag(), secret]).toString("base64")}`;
};

/** The id of the key a value was sealed with, to find what a key's retirement would leave unreadable. */
export const keyIdOf = (sealed: string): string => sealed.slice(0, Math.max(0, sealed.indexOf(":")));

/**
 * The same value sealed with the first key: the text itself if it already is, or if it cannot be opened, for then
 * whoever needs the value says so.
 */
export const reencrypt = (keyring: Keyring, sealed: string, owner: Owner): string => {
  if (keyIdOf(sealed) === keyring.first) return sealed;
  try {
    return encrypt(keyring, decrypt(keyring, sealed, owner), owner);
  } catch {
    return sealed;
  }
};

/** Decrypts to text. Fault `internal` if the key is unknown, the value was altered, or it is another record's. */
export const decrypt = (keyring: Keyring, sealed: string, owner: Owner): string => {
  try {
    const key = keyring.keys.get(keyIdOf(sealed));
    if (!key) throw new Error(`No encryption key "${keyIdOf(sealed)}"`);
    const bytes = Buffer.from(sealed.slice(sealed.indexOf(":") + 1), "base64");
    const nonce = bytes.subarray(0, nonceBytes);
    const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: tagBytes });
    decipher.setAAD(boundTo(owner)).setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
    return decipher.update(bytes.subarray(nonceBytes + tagBytes), undefined, "utf8") + decipher.final("utf8");
  } catch (cause) {
    throw new Fault("internal", `The stored ${owner.kind} cannot be decrypted`, undefined, { cause });
  }
};
