import { FetchFailed } from "@ci/kit/net/fetch-failed";
import { checkJson } from "./check-json.js";

/** Names a blob or a manifest by its content. */
export interface Descriptor {
  readonly digest: string;
  readonly size: number;
}

export interface Manifest {
  /** The media type. */
  readonly type: string;
  readonly config: Descriptor;
  readonly layers: readonly Descriptor[];
}

export interface Platform {
  readonly os: string;
  readonly architecture: string;
}

const docker = "application/vnd.docker.distribution.manifest";
const oci = "application/vnd.oci.image";
const ofOneImage: readonly unknown[] = [`${docker}.v2+json`, `${oci}.manifest.v1+json`];

/** The media types that are understood: manifests of one image, and indexes of several. */
export const manifestTypes = [...ofOneImage, `${docker}.list.v2+json`, `${oci}.index.v1+json`].join(", ");

type Fields = Readonly<Record<string, unknown>>;

const unsupported = (cause?: unknown): FetchFailed => new FetchFailed("its format is not supported", { cause });

const isFields = (value: unknown): value is Fields => typeof value === "object" && value !== null;

function descriptorOf(value: unknown): Descriptor {
  const { digest, size } = isFields(value) ? value : {};
  if (typeof digest !== "string" || !/^sha256:[0-9a-f]{64}$/.test(digest)) throw unsupported();
  if (typeof size !== "number" || !Number.isSafeInteger(size) || size < 0) throw unsupported();
  return { digest, size };
}

function variantFor(variants: readonly unknown[], { os, architecture }: Platform): Descriptor {
  const found = variants.find((variant) => {
    const platform = isFields(variant) && isFields(variant.platform) ? variant.platform : {};
    return platform.os === os && platform.architecture === architecture;
  });
  if (!found) throw new FetchFailed(`it has no variant for ${os}/${architecture}`);
  return descriptorOf(found);
}

/** Parses the manifest of an image. For an index of several platforms, returns the manifest that fits one of them. */
export async function parseManifest(
  text: Buffer,
  platform: Platform,
): Promise<Manifest | { readonly variant: Descriptor }> {
  await checkJson(text, "manifest");
  let parsed: unknown;
  try {
    parsed = JSON.parse(text.toString());
  } catch (error) {
    throw unsupported(error);
  }
  if (!isFields(parsed) || parsed.schemaVersion !== 2) throw unsupported();
  if (Array.isArray(parsed.manifests)) return { variant: variantFor(parsed.manifests, platform) };
  if (!Array.isArray(parsed.layers)) throw unsupported();
  const type = ofOneImage.includes(parsed.mediaType) ? String(parsed.mediaType) : `${oci}.manifest.v1+json`;
  return { type, config: descriptorOf(parsed.config), layers: parsed.layers.map(descriptorOf) };
}
