import { access, readdir } from "node:fs/promises";
import { UsageError } from "./exit.js";
import { type Io, readFileText } from "./io.js";

const defaultFile = ".service-ci.yml";
const folder = ".service-ci";

const isThere = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );

/** Returns the manifests that a push of the current folder would build. */
async function pushedFiles(): Promise<string[]> {
  const here = await readdir(".", { withFileTypes: true });
  const hasFolder = here.some((entry) => entry.name === folder && entry.isDirectory());
  const inFolder = hasFolder ? await readdir(folder, { withFileTypes: true }) : [];
  const named = inFolder.filter((entry) => entry.isFile() && entry.name.endsWith(".yml")).map(({ name }) => name);
  const single = here.some((entry) => entry.name === defaultFile && entry.isFile()) ? [defaultFile] : [];
  return [...single, ...named.sort().map((name) => `${folder}/${name}`)];
}

const way = "Name the manifest's file, or - for standard input";

const noDefault = (others: readonly string[]): UsageError =>
  new UsageError(
    others.length > 0
      ? `There is no ${defaultFile} here. ${way}. A push builds ${others.join(", ")}`
      : `There is no ${defaultFile} here, and no ${folder}/*.yml. ${way}`,
  );

/** Returns the text of a manifest, and its file name for messages. */
export async function readManifest(io: Io, path?: string): Promise<{ name: string; text: string }> {
  if (path === undefined && !(await isThere(defaultFile))) throw noDefault(await pushedFiles());
  const name = path ?? defaultFile;
  return { name, text: await readFileText(io, name) };
}

/** Returns one manifest, or without a path all that a push of the current folder would build. */
export async function readManifests(io: Io, path?: string): Promise<{ name: string; text: string }[]> {
  const paths = path === undefined ? await pushedFiles() : [path];
  if (paths.length === 0) throw noDefault([]);
  return Promise.all(paths.map((one) => readManifest(io, one)));
}

/** Returns a manifest with another namespace. Changes nothing else. */
export async function withNamespace(manifest: string, namespace: string): Promise<string> {
  const { isMap, isScalar, parseDocument } = await import("yaml");
  const { contents } = parseDocument(manifest);
  const value = JSON.stringify(namespace);
  if (contents !== null && !isMap(contents)) throw new UsageError("The manifest is not a YAML mapping");
  const pair = contents?.items.find(({ key }) => isScalar(key) && key.value === "namespace");
  const range = isScalar(pair?.value) ? pair.value.range : undefined;
  if (range && range[1] > range[0]) return manifest.slice(0, range[0]) + value + manifest.slice(range[1]);
  if (pair) throw new UsageError("The manifest has a namespace without a value. Delete its line, or give it a value");
  if (!contents?.flow) return `${manifest.replace(/\n?$/, "\n")}namespace: ${value}\n`;
  const start = contents.range![0] + 1;
  return `${manifest.slice(0, start)}"namespace": ${value}${contents.items.length > 0 ? ", " : ""}${manifest.slice(start)}`;
}
