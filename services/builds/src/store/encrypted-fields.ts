import type { EncryptedField } from "@ci/kit/security/rotate";

const copies = (field: "variables" | "keys", kind: string): EncryptedField => ({
  collection: "builds",
  field,
  revision: "rev",
  renewed: (doc: Record<string, readonly { readonly id: number; readonly sealed: string }[]>, renew) =>
    doc[field]!.map((copy) => ({ ...copy, sealed: renew(copy.sealed, { kind, id: copy.id }) })),
});

/** Identifies the record that an encrypted hook secret or access token belongs to. */
export const repositorySecret = (id: number) => ({ kind: "repository secret", id });
export const repositoryToken = (id: number) => ({ kind: "repository access token", id });

const ofRepository = (
  collection: "repositories" | "hookRemovals",
  field: "sealedSecret" | "sealedToken",
  recordOf: typeof repositorySecret,
): EncryptedField => ({
  collection,
  field,
  renewed: (doc: { _id: number } & Record<typeof field, string>, renew) => renew(doc[field], recordOf(doc._id)),
});

export const sealedFields: readonly EncryptedField[] = [
  copies("variables", "build variable"),
  copies("keys", "build key"),
  ofRepository("repositories", "sealedSecret", repositorySecret),
  ofRepository("repositories", "sealedToken", repositoryToken),
  ofRepository("hookRemovals", "sealedToken", repositoryToken),
];
