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

export const sealedFields: readonly EncryptedField[] = [
  copies("variables", "build variable"),
  copies("keys", "build key"),
  {
    collection: "repositories",
    field: "sealedSecret",
    renewed: ({ _id, sealedSecret }: { _id: number; sealedSecret: string }, renew) =>
      renew(sealedSecret, repositorySecret(_id)),
  },
  {
    collection: "repositories",
    field: "sealedToken",
    renewed: ({ _id, sealedToken }: { _id: number; sealedToken: string }, renew) =>
      renew(sealedToken, repositoryToken(_id)),
  },
  {
    collection: "hookRemovals",
    field: "sealedToken",
    renewed: ({ _id, sealedToken }: { _id: number; sealedToken: string }, renew) =>
      renew(sealedToken, repositoryToken(_id)),
  },
];
