import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fixedLimit } from "@ci/kit/process/fixed-limit";
import type { Config } from "../config.js";
import { basePathOf } from "../http/path.js";

const maxSiteBytes = fixedLimit({
  max: 8 * 1024 * 1024,
  unit: "bytes",
  about: "files of the web page that a gateway keeps in memory",
  effect: "the gateway does not start",
});

/** A script or a style sheet, also in the encodings that the build has made. */
export interface Asset {
  readonly type: string;
  readonly plain: Buffer;
  readonly br?: Buffer;
  readonly gzip?: Buffer;
}

export interface Site {
  readonly shell: Buffer;
  readonly etag: string;
  readonly assets: ReadonlyMap<string, Asset>;
}

const types: Readonly<Record<string, string>> = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
};

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", '"': "&quot;" };
const escaped = (text: string): string => text.replace(/[&<"]/g, (character) => entities[character]!);

type Place = Pick<Config, "publicUrl" | "openid">;

/** Writes the public URL and the name of the provider into the shell, whose assets are relative to the base path. */
const shellFor = (html: string, { publicUrl, openid }: Place): Buffer =>
  Buffer.from(
    html
      .replace('name="public-url" content=""', `name="public-url" content="${escaped(publicUrl)}"`)
      .replace('name="sign-in-with" content=""', `name="sign-in-with" content="${escaped(openid?.name ?? "")}"`)
      .replaceAll('"./-/assets/', `"${escaped(basePathOf(publicUrl))}/-/assets/`),
  );

/** Reads the built web page into memory. Returns undefined if it was not built. */
export async function readSite({ webDir, ...place }: Pick<Config, "webDir"> & Place): Promise<Site | undefined> {
  if (!existsSync(join(webDir, "index.html"))) return undefined;
  const folder = join(webDir, "-/assets");
  const contents = new Map<string, Buffer>();
  let sizeBytes = 0;
  for (const name of await readdir(folder)) {
    const content = await readFile(join(folder, name));
    sizeBytes += content.length;
    if (sizeBytes > maxSiteBytes)
      throw new Error(`The files in WEB_DIR take more than ${maxSiteBytes} bytes: ${webDir}`);
    contents.set(name, content);
  }
  const assets = new Map<string, Asset>();
  for (const [name, plain] of contents) {
    const type = types[name.split(".").at(-1)!];
    if (type) assets.set(name, { type, plain, br: contents.get(`${name}.br`), gzip: contents.get(`${name}.gz`) });
  }
  const shell = shellFor(await readFile(join(webDir, "index.html"), "utf8"), place);
  return { shell, etag: `"${createHash("sha256").update(shell).digest("base64url")}"`, assets };
}
