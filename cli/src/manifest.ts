import { access } from "node:fs/promises";
import { UsageError } from "./exit.js";
import { type Io, readFileText } from "./io.js";

const defaultFile = ".service-ci.yml";

/** Returns the text of a manifest, and its file name for messages. */
export async function readManifest(io: Io, path?: string): Promise<{ name: string; text: string }> {
  if (path === undefined) {
    await access(defaultFile).catch(() => {
      throw new UsageError(`There is no ${defaultFile} here. Name the manifest's file, or - for standard input`);
    });
  }
  const name = path ?? defaultFile;
  return { name, text: await readFileText(io, name) };
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
