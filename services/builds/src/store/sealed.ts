import type { SealedField } from "@ci/kit/rotate";

const copies = (field: "variables" | "keys", kind: string): SealedField => ({
  collection: "builds",
  field,
  revision: "rev",
  renewed: (doc: Record<string, readonly { readonly id: number; readonly sealed: string }[]>, renew) =>
    doc[field]!.map((copy) => ({ ...copy, sealed: renew(copy.sealed, { kind, id: copy.id }) })),
});

/** Everything that is sealed here. */
export const sealedFields: readonly SealedField[] = [
  copies("variables", "build variable"),
  copies("keys", "build key"),
];
