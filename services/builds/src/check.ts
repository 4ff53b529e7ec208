import { asFault } from "@ci/kit/rpc/fault";
import type { Namespace } from "@ci/proto/namespaces/v1/namespaces";
import type { Config } from "./config.js";
import type { Context } from "./context.js";
import type { Destination } from "./domain/cron.js";
import { type Manifest, readManifest } from "./domain/manifest.js";

/** What a manifest says and where it wants to go, as far as nothing is wrong with that; and all that is wrong. */
export interface Checked {
  readonly manifest?: Manifest;
  readonly destination?: Destination;
  readonly complaints: readonly string[];
}

/** The limits of every manifest. */
export const manifestLimits = ({ manifestBytes, maxJobs, maxStages }: Config) => ({
  maxBytes: manifestBytes,
  maxJobs,
  maxStages,
});

/** Complaints about a namespace, in the words of a manifest. */
function inManifest(name: string, message: string): string {
  if (message === "Namespace permission denied") return "Manifest cannot submit to namespace";
  return `Manifest ${name}: namespace: ${message.replace(/^Namespace /, "")}`;
}

/** The namespace a manifest names, or what is wrong with it; nothing is made. */
async function look(
  ctx: Pick<Context, "namespaces">,
  userId: number,
  name: string,
): Promise<{ namespace?: Namespace; complaints: string[] }> {
  try {
    const { namespace } = await ctx.namespaces.enterNamespace({ name, userId, create: false });
    return { namespace, complaints: [] };
  } catch (error) {
    const { code, fields } = asFault(error);
    if (code !== "invalid") throw error;
    return { complaints: (fields?.namespace ?? []).map((message) => inManifest(name, message)) };
  }
}

/**
 * Every rule about a manifest that this user submits; all complaints come in one answer, and nothing is made.
 * Whether its driver is enabled is checked only against a list of those.
 */
export async function checkManifest(
  ctx: Pick<Context, "config" | "namespaces">,
  text: string,
  userId: number,
  acceptedDrivers?: readonly string[],
): Promise<Checked> {
  const read = readManifest(text, { ...manifestLimits(ctx.config), acceptedDrivers });
  const manifest = "manifest" in read ? read.manifest : undefined;
  const name = "manifest" in read ? (read.manifest.namespace ?? "") : read.namespace;
  const wrong = "manifest" in read ? [] : read.complaints;
  if (!name) return { manifest, destination: name === "" ? {} : undefined, complaints: wrong };
  const { namespace, complaints } = await look(ctx, userId, name);
  const destination = complaints.length === 0 ? { name, namespace } : undefined;
  return { manifest, destination, complaints: [...wrong, ...complaints] };
}

/** The namespace to go to; what is missing of it is made, now that nothing is wrong any more. */
export async function enter(
  ctx: Pick<Context, "namespaces">,
  userId: number,
  { name, namespace }: Destination,
): Promise<Namespace | undefined> {
  if (!name || namespace) return namespace;
  return (await ctx.namespaces.enterNamespace({ name, userId, create: true })).namespace;
}
