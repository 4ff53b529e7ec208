import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { created, repeat } from "./client.mjs";
import { manifestOf } from "./manifests.mjs";

const readers = 100;
const stallMs = 30_000;

/**
 * Sends a request for output and never reads the response.
 * @param {URL} url
 * @param {string} token
 * @param {string} accept
 */
const stall = async (url, token, accept) => {
  const socket = connect({ host: url.hostname, port: Number(url.port) });
  await once(socket, "connect");
  socket.pause();
  socket.on("error", () => {});
  const lines = [`GET ${url.pathname} HTTP/1.1`, "Host: ci", `Authorization: Bearer ${token}`, `Accept: ${accept}`];
  socket.write(`${lines.join("\r\n")}\r\n\r\n`);
  return socket;
};

/** @type {import("../overload.mjs").Scenario} */
export const stalled = {
  name: "stalled",
  title: "100 readers of 16 MiB of output stall",
  async run({ user }, { measure }, scale) {
    const owner = await user("owner");
    const print = "head -c 15000000 /dev/zero | tr '\\0' x | fold -w 99";
    const build = created(await owner.post("/builds", { manifest: manifestOf(print) }));
    for (let { finished_at: end } = build; !end; await pause(200)) end = (await owner.get(build.url)).json.finished_at;
    const kinds = ["text/event-stream", "text/plain"];
    const sockets = await Promise.all(
      Array.from({ length: Math.ceil(readers * scale) }, (_, nth) =>
        stall(new URL(build.output_url), owner.token, kinds[nth % 2]),
      ),
    );
    await repeat(2, Math.max(stallMs * scale, 5_000), () => measure("GET a build", () => owner.get(build.url)));
    for (const socket of sockets) socket.destroy();
  },
};
