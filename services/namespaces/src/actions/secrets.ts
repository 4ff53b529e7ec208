import { decrypt, encrypt, type Keyring } from "@ci/kit/security/secrets";
import type { Variable } from "@ci/proto/namespaces/v1/resources";
import type { Encrypted } from "../domain/encrypted.js";
import type { KeyDoc } from "../domain/key.js";
import { mask, type VariableDoc } from "../domain/variable.js";
import type { SecretKind } from "../store/encrypted-fields.js";

/** Encrypts the secret of one record. It cannot be decrypted as another record's. */
export const encryptSecret = (keyring: Keyring, kind: SecretKind, id: number, plain: string): Encrypted => ({
  sealed: encrypt(keyring, plain, { kind, id }),
});

/** Decrypts the secret of one record. Throws `internal` if that fails. */
const decryptSecret = (keyring: Keyring, kind: SecretKind, doc: { _id: number; sealed: string }): string =>
  decrypt(keyring, doc.sealed, { kind, id: doc._id });

/** Returns the value of a variable, even of a masked one. For builds only. */
export const readValue = (keyring: Keyring, doc: VariableDoc): string => decryptSecret(keyring, "variable", doc);

/** Returns a private key. For builds only. */
export const readPrivateKey = (keyring: Keyring, doc: KeyDoc): string => decryptSecret(keyring, "key", doc);

export function toVariable(keyring: Keyring, doc: VariableDoc): Variable {
  const { _id, scope, rootId, terms, outbox, deletedAt, sealed, ...variable } = doc;
  return { id: _id, ...variable, value: doc.masked ? mask : readValue(keyring, doc) };
}
