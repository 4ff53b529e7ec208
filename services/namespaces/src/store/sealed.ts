import type { EncryptedField } from "@ci/kit/security/rotate";

/** What kinds of records keep a secret. */
export type SecretKind = "variable" | "key";

const kept = (collection: string, kind: SecretKind): EncryptedField => ({
  collection,
  field: "sealed",
  renewed: ({ _id, sealed }: { _id: number; sealed: string }, renew) => renew(sealed, { kind, id: _id }),
});

/** Everything that is sealed here. */
export const sealedFields: readonly EncryptedField[] = [kept("variables", "variable"), kept("keys", "key")];
