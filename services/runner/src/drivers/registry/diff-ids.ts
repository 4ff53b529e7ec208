import { FetchFailed } from "@ci/kit/net/fetch-failed";
import { checkJson } from "./check-json.js";

type Fields = Readonly<Record<string, unknown>>;

const unsupported = (cause?: unknown): FetchFailed =>
  new FetchFailed("the format of its configuration is not supported", { cause });

/** Returns a field. Engines written in Go would take another one whose name differs in case only (encoding/json). */
function only(value: unknown, name: RegExp): unknown {
  if (typeof value !== "object" || value === null) throw unsupported();
  const [key, ...others] = Object.keys(value).filter((key) => name.test(key));
  if (key === undefined || others.length > 0) throw unsupported();
  return (value as Fields)[key];
}

const isDigest = (value: unknown): value is string => typeof value === "string" && /^sha256:[0-9a-f]{64}$/.test(value);

/** Reads the digests of an image's unpacked layers from its configuration (OCI image specification, config.md). */
export async function diffIdsOf(config: Buffer): Promise<readonly string[]> {
  await checkJson(config, "configuration");
  let parsed: unknown;
  try {
    parsed = JSON.parse(config.toString());
  } catch (error) {
    throw unsupported(error);
  }
  const ids = only(only(parsed, /^rootfs$/iu), /^diff_ids$/iu);
  if (!Array.isArray(ids) || !ids.every(isDigest)) throw unsupported();
  return ids;
}
