import { Fault } from "@ci/kit/rpc/fault";
import { decrypt, encrypt, type Keyring } from "@ci/kit/security/secrets";
import { namespaceScope, userScope } from "./record-scope.js";

/** The image that a build names: one of its namespaces, the nearest first, or unless `namespaceOnly` one of the user. */
export interface NamedImage {
  readonly name: string;
  readonly userId: number;
  readonly namespaceId?: number | undefined;
  /** The namespaces above it, the root first. Tickets of older versions do not have them. */
  readonly ancestorIds?: readonly number[] | undefined;
  readonly namespaceOnly: boolean;
}

/** Returns the scopes of the images that a build may use. The first of them that has the name decides. */
export const imageScopes = ({ userId, namespaceId, ancestorIds = [], namespaceOnly }: NamedImage): string[] => [
  ...(namespaceId === undefined ? [] : [namespaceId, ...ancestorIds.toReversed()].map(namespaceScope)),
  ...(namespaceOnly ? [] : [userScope(userId)]),
];

interface Ticket extends NamedImage {
  readonly untilMs: number;
}

/** The builds service writes tickets and the images service reads them; both have the encryption keys. */
const owner = { kind: "image ticket", id: "" };

/** Returns a text with which a runner may read an image until a time. It cannot be read or changed without the keys. */
export const writeTicket = (keyring: Keyring, image: NamedImage, until: Date): string =>
  encrypt(keyring, JSON.stringify({ ...image, untilMs: until.getTime() } satisfies Ticket), owner);

function decrypted(keyring: Keyring, ticket: string): Ticket | undefined {
  try {
    return JSON.parse(decrypt(keyring, ticket, owner)) as Ticket;
  } catch {
    return undefined;
  }
}

/** Returns the image of a ticket. Fault `forbidden` if the ticket is not valid now. */
export function readTicket(keyring: Keyring, ticket: string | undefined, now: Date): NamedImage {
  const found = ticket === undefined ? undefined : decrypted(keyring, ticket);
  if (!found || !(found.untilMs > now.getTime())) throw new Fault("forbidden", "The ticket for the image is not valid");
  const { untilMs: _, ...image } = found;
  return image;
}
