import { decrypt, encrypt, type Keyring } from "@ci/kit/security/secrets";
import type { Variable } from "@ci/proto/namespaces/v1/resources";
import type { KeyDoc } from "./domain/key.js";
import type { Sealed } from "./domain/sealed.js";
import { mask, type VariableDoc } from "./domain/variable.js";
import type { SecretKind } from "./store/sealed.js";

/** Encrypts the secret of one record; nothing else opens it. */
export const sealFor = (keyring: Keyring, kind: SecretKind, id: number, plain: string): Sealed => ({
  sealed: encrypt(keyring, plain, { kind, id }),
});

/** The secret of one record. Fault `internal` if it cannot be decrypted. */
export const openOf = (keyring: Keyring, kind: SecretKind, doc: { _id: number; sealed: string }): string =>
  decrypt(keyring, doc.sealed, { kind, id: doc._id });

/** The value of a variable in the clear, masked or not: for builds alone. */
export const readValue = (keyring: Keyring, doc: VariableDoc): string => openOf(keyring, "variable", doc);

/** The private half of a key: for builds alone. */
export const readPrivateKey = (keyring: Keyring, doc: KeyDoc): string => openOf(keyring, "key", doc);

/** A variable as anybody may read it. */
export function toVariable(keyring: Keyring, doc: VariableDoc): Variable {
  const { _id, scope, rootId, terms, outbox, deletedAt, sealed, ...variable } = doc;
  return { id: _id, ...variable, value: doc.masked ? mask : readValue(keyring, doc) };
}
