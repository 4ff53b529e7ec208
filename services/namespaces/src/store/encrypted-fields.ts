import type { EncryptedField } from "@ci/kit/security/rotate";

export type SecretKind = "variable" | "key";

const secretsOf = (collection: string, kind: SecretKind): EncryptedField => ({
  collection,
  field: "sealed",
  renewed: ({ _id, sealed }: { _id: number; sealed: string }, renew) => renew(sealed, { kind, id: _id }),
});

export const encryptedFields: readonly EncryptedField[] = [
  secretsOf("variables", "variable"),
  secretsOf("keys", "key"),
];
