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

/** Returns the value of a variable, even of a masked one, or a private key. Throws if it cannot be decrypted. */
export const decryptSecret = <K extends SecretKind>(
  keyring: Keyring,
  kind: K,
  { _id, sealed }: { variable: VariableDoc; key: KeyDoc }[K],
): string => decrypt(keyring, sealed, { kind, id: _id });

export function toVariable(keyring: Keyring, doc: VariableDoc): Variable {
  const { _id, scope, rootId, terms, outbox, deletedAt, sealed, ...variable } = doc;
  return { id: _id, ...variable, value: doc.masked ? mask : decryptSecret(keyring, "variable", doc) };
}
