import { asFault, quoted } from "@ci/kit/rpc/fault";
import { complain } from "@ci/kit/rpc/validated";
import type { Complaint } from "@ci/manifest/complaints";
import type { Manifest, ManifestLimits } from "@ci/manifest/manifest";
import type { Namespace } from "@ci/proto/namespaces/v1/namespaces";
import type { Config } from "../../config.js";
import type { Context } from "../../context.js";
import type { Destination } from "../../domain/cron.js";
import { requireSubmitter } from "../find-owners.js";
import { manifests } from "./read-manifest.js";

export const messagesOf = (complaints: readonly Complaint[]): string[] => complaints.map(({ message }) => message);

/** The outcome of checking a manifest: its valid parts and every complaint. */
export interface CheckedManifest {
  readonly manifest?: Manifest;
  readonly destination?: Destination;
  readonly complaints: readonly Complaint[];
}

export const manifestLimits = ({ manifestBytes, maxJobs, maxStages, buildTimeoutMs }: Config) => ({
  maxBytes: manifestBytes,
  maxTimeoutMs: buildTimeoutMs,
  maxJobs,
  maxStages,
});

/** The limits for a manifest. `isStored`: the manifest belongs to an earlier build or a cron job. */
export const buildLimits = (config: Config, isStored = false): ManifestLimits => ({
  ...manifestLimits(config),
  acceptedDrivers: config.drivers,
  isStored,
});

function inManifest(name: string, message: string): string {
  if (message === "Namespace permission denied") return "Manifest cannot submit to namespace";
  return `Manifest ${quoted(name)}: namespace: ${message.replace(/^Namespace /, "")}`;
}

async function findNamespace(
  ctx: Pick<Context, "namespaces">,
  userId: number,
  name: string,
  create = false,
): Promise<Omit<Destination, "name"> & { complaints: Complaint[] }> {
  try {
    return { ...(await ctx.namespaces.enterNamespace({ name, userId, create })), complaints: [] };
  } catch (error) {
    const { code, fields } = asFault(error);
    if (code !== "invalid") throw error;
    return { complaints: (fields?.namespace ?? []).map((message) => ({ message: inManifest(name, message) })) };
  }
}

type Checking = Pick<ManifestLimits, "acceptedDrivers" | "isStored"> & { readonly destination?: Destination };

/** Collects every complaint about a manifest; creates nothing. Without `acceptedDrivers` any driver passes. */
export async function checkManifest(
  ctx: Pick<Context, "config" | "namespaces">,
  text: string,
  userId: number,
  { destination: given, ...how }: Checking = {},
): Promise<CheckedManifest> {
  const read = await manifests.read(userId, text, { ...manifestLimits(ctx.config), ...how });
  const manifest = "manifest" in read ? read.manifest : undefined;
  const { namespace: name, complaints: invalid } = read;
  if (given) return { manifest, destination: given, complaints: invalid };
  if (!name) return { manifest, destination: name === "" ? {} : undefined, complaints: invalid };
  const { complaints, ...found } = await findNamespace(ctx, userId, name);
  const destination = complaints.length === 0 ? { name, ...found } : undefined;
  const placed = complaints.map((one) => ({ ...one, ...read.namespacePlace }));
  return { manifest, destination, complaints: [...invalid, ...placed] };
}

/**
 * Returns the namespace to submit to, and creates it if it is missing. Call it after all checks have passed; if the request
 * has `waited` since, it checks again that the user may submit there.
 */
export async function enterDestination(
  ctx: Pick<Context, "namespaces" | "accounts">,
  userId: number,
  { name, namespace: found }: Destination,
  waited = false,
): Promise<Namespace | undefined> {
  if (found && !waited) return found;
  if (!name) return waited ? requireSubmitter(ctx, userId, found?.id) : found;
  const { namespace, complaints } = await findNamespace(ctx, userId, name, true);
  complain({ manifest: messagesOf(complaints) });
  return namespace;
}
