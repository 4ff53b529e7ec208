import { createHash, randomBytes } from "node:crypto";
import { Fault } from "@ci/kit/rpc/fault";
import { isImageName } from "@ci/manifest/image-name";
import { shortNameOf } from "../../egress/keeper.js";
import type { Login } from "../../registry/logins.js";
import { placeOf } from "../../registry/place.js";

export interface ImageName {
  readonly full: string;
  /** Without a tag, or with `latest`, a name may point to a new image each time. */
  readonly moves: boolean;
  /** The name of an image that was loaded. Only a pull makes the engine find an image by a registry's digest. */
  readonly loaded: string;
}

/** No registry can have this host, so nobody can give such a name to another image. */
const pinned = "pinned.service-ci.invalid/image";

const arrivalsOf = (runner: string): string => `arriving.service-ci.invalid/${shortNameOf(runner)}`;

/** What a runner's image is called from when the engine has it until the runner has noted that. */
export const newArrival = (runner: string): string =>
  `${arrivalsOf(runner)}:${Date.now()}-${randomBytes(16).toString("hex")}`;

/** Returns when a runner began to load the image that has this name; undefined for other names. */
export function arrivalOf(name: string, runner: string): number | undefined {
  const prefix = `${arrivalsOf(runner)}:`;
  return name.startsWith(prefix) ? Number.parseInt(name.slice(prefix.length), 10) : undefined;
}

/** Reports whether a name matches one of the patterns, in which `*` stands for any text. */
export const isNamed = (name: string, patterns: readonly string[]): boolean =>
  patterns.some((pattern) => {
    const parts = pattern.split("*").map((part) => part.replace(/[.+?^${}()|[\]\\]/g, "\\$&"));
    return new RegExp(`^${parts.join(".*")}$`).test(name);
  });

/** Returns the name that an image has in lists of the engine, which leave out Docker Hub. */
export const engineName = (name: ImageName): string => (name.loaded === name.full ? publicName(name) : name.loaded);

/** Returns the name that a pull by the engine gives to an image, in the spelling of the engine's lists. */
export function publicName({ full }: Pick<ImageName, "full">): string {
  const { stored, reference } = placeOf(full);
  return `${stored}:${reference}`.replace(/^docker\.io\/(?:library\/)?/, "");
}

/** Returns all names of an image that mean the same to an engine. */
export function spellingsOf({ full }: Pick<ImageName, "full">): readonly string[] {
  const { stored, reference } = placeOf(full);
  const names = [`${stored}:${reference}`, `${stored}:${reference}`.replace(/^docker\.io\/library\//, "docker.io/")];
  return [full, ...names, ...names.map((name) => name.replace(/^docker\.io\//, ""))];
}

/** Splits a name that ends with a tag. */
export function tagOf(name: string): { repo: string; tag: string } {
  const tag = /[^:]+$/.exec(name)![0];
  return { repo: name.slice(0, -tag.length - 1), tag };
}

/** Parses an image name. It becomes part of URLs, so nothing else may pass. */
export function parseImageName(given: string): ImageName {
  const name = given.trim();
  if (!isImageName(name)) throw new Fault("invalid", `"${name}" is not the name of an image`);
  const digest = name.split("@")[1];
  if (digest !== undefined)
    return { full: name, moves: false, loaded: `${pinned}:${digest.replace(":", "-").slice(0, 128)}` };
  const tag = /:([^/:]+)$/.exec(name)?.[1];
  const full = tag === undefined ? `${name}:latest` : name;
  return { full, moves: tag === undefined || tag === "latest", loaded: full };
}

/**
 * Returns the name of an image that is pulled with a login. Nobody can guess it without that login, so no other build
 * gets the image.
 */
export function privateName(name: ImageName, { username, password }: Login): ImageName {
  const secret = createHash("sha256")
    .update(JSON.stringify([name.full, username, password]))
    .digest("hex");
  return { ...name, loaded: `private.service-ci.invalid/image:${secret}` };
}
