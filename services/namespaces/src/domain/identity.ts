import type { Stored } from "@ci/kit/mongo/document";
import { fixedLimit } from "@ci/kit/process/fixed-limit";
import { invalid } from "@ci/kit/rpc/fault";
import type { Claims, Identity } from "@ci/proto/namespaces/v1/accounts";

export type IdentityDoc = Stored<Identity>;

export const toIdentity = ({ _id, ...identity }: IdentityDoc): Identity => ({ id: _id, ...identity });

/** OpenID Connect's limit. */
const maxSubjectLength = fixedLimit({
  max: 255,
  about: "characters of the subject of an identity",
  refusal: "The provider's response was not accepted",
});
const maxIssuerLength = fixedLimit({
  max: 1_024,
  about: "characters of the issuer of an identity",
  refusal: "The provider's response was not accepted",
});
const maxNameLength = fixedLimit({
  max: 255,
  about: "characters of a username at the provider",
  effect: "the rest is cut",
});
export const maxIdentities = fixedLimit({
  max: 20,
  about: "identities of one user",
  refusal: "Identities cannot exceed N",
});

const isWithin = (text: string, max: number): boolean => text !== "" && [...text].length <= max;

/** Makes the identity of a user from a provider's claims. */
export function newIdentity({ issuer, subject, username }: Claims, at: { id: number; userId: number; at: Date }) {
  if (!isWithin(issuer, maxIssuerLength)) throw invalid({ issuer: ["Issuer is empty or too long"] });
  if (!isWithin(subject, maxSubjectLength)) throw invalid({ subject: ["Subject is empty or too long"] });
  return { _id: at.id, userId: at.userId, issuer, subject, name: nameIn(username), createdAt: at.at };
}

export const nameIn = (username: string): string => [...username].slice(0, maxNameLength).join("");
