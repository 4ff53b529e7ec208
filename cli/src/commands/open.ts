import { spawn } from "node:child_process";
import { findBuild, pathOf } from "../build-ref.js";
import type { Handler } from "../command.js";
import { Failure } from "../exit.js";
import { type Io, print } from "../io.js";
import { connect } from "../session.js";
import type { Specs } from "../specs.js";

const openers: Partial<Record<NodeJS.Platform, string>> = { darwin: "open", win32: "explorer" };

/** Opens a URL in the user's browser. */
function openUrl({ env }: Io, url: string): Promise<void> {
  const opener = env.BROWSER || openers[process.platform] || "xdg-open";
  return new Promise((resolve, reject) => {
    const child = spawn(opener, [url], { stdio: "ignore", detached: true });
    child.once("error", ({ message }) =>
      reject(new Failure(`The browser did not start: ${message}. Set BROWSER to the command that opens it`)),
    );
    child.once("spawn", () => {
      child.unref();
      resolve();
    });
  });
}

export const run: Handler<Specs["open"]> = async (io, { build }) => {
  const session = await connect(io);
  const path = pathOf(await findBuild(session, build));
  const url = `${await session.publicUrl()}${path}`;
  await print(io, url);
  await openUrl(io, url);
};
