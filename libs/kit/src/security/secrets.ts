import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject, randomBytes } from "node:crypto";
import { Fault } from "../rpc/fault.js";

export type Keyring = { readonly first: string; readonly keys: ReadonlyMap<string, KeyObject> };

/** The record a value belongs to. Decryption fails for any other record. */
export type Owner = { readonly kind: string; readonly id: number | string };

const algorithm = "aes-256-gcm";
const nonceBytes = 12;
const tagBytes = 16;

/** Parses `id:base64 of 32 bytes,…`. Errors name a bad entry by position only, since it may hold a key. */
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

// JSON separates the two, whatever they contain.
const boundTo = ({ kind, id }: Owner): Buffer => Buffer.from(JSON.stringify([kind, String(id)]));

/** Returns `<key id>:<base64 of nonce, tag and ciphertext>`, different at each call. */
export const encrypt = (keyring: Keyring, plain: string | Buffer, owner: Owner): string => {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, keyring.keys.get(keyring.first)!, nonce, { authTagLength: tagBytes });
  cipher.setAAD(boundTo(owner));
  const secret = Buffer.concat([cipher.update(plain), cipher.final()]);
  return `${keyring.first}:${Buffer.concat([nonce, cipher.getAuthTag(), secret]).toString("base64")}`;
};

export const keyIdOf = (encrypted: string): string => encrypted.slice(0, Math.max(0, encrypted.indexOf(":")));

/** Re-encrypts with the first key. Leaves undecryptable values unchanged; their readers will report them. */
export const reencrypt = (keyring: Keyring, encrypted: string, owner: Owner): string => {
  if (keyIdOf(encrypted) === keyring.first) return encrypted;
  try {
    return encrypt(keyring, decrypt(keyring, encrypted, owner), owner);
  } catch {
    return encrypted;
  }
};

/** Throws Fault `internal` if the key is unknown, the value was altered, or it belongs to another record. */
export const decrypt = (keyring: Keyring, encrypted: string, owner: Owner): string => {
  try {
    const key = keyring.keys.get(keyIdOf(encrypted));
    if (!key) throw new Error(`No encryption key "${keyIdOf(encrypted)}"`);
    const bytes = Buffer.from(encrypted.slice(encrypted.indexOf(":") + 1), "base64");
    const nonce = bytes.subarray(0, nonceBytes);
    const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: tagBytes });
    decipher.setAAD(boundTo(owner)).setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
    return decipher.update(bytes.subarray(nonceBytes + tagBytes), undefined, "utf8") + decipher.final("utf8");
  } catch (cause) {
    throw new Fault("internal", `The stored ${owner.kind} cannot be decrypted`, undefined, { cause });
  }
};
