// Makes a host beyond this one, in a network namespace: it serves at a public, a private and a link-local address.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";
import { networkInterfaces } from "node:os";
import { guard } from "../deploy/local/start/guardian.mjs";

const ip = (/** @type {string[]} */ ...args) => execFileSync("ip", args, { stdio: "pipe" });

/** Greets everybody who connects. */
const greeter = (/** @type {string} */ greeting) =>
  `require("node:net").createServer((socket) => socket.on("error", () => {}).end("${greeting}\\n"))`;
const serve = `${greeter("outside")}.listen(0, function () { console.log(this.address().port) })`;

/** Says why networks and packet filters cannot be set here; undefined if they can. */
export const whyNoFilter = () => {
  if (process.getuid?.() !== 0) return "this is not root";
  const missing = ["ip", "iptables"].find((tool) => spawnSync(tool, ["-V"]).error !== undefined);
  return missing && `${missing} is not installed`;
};

/** Returns an address of this host that others can reach. */
const ownAddress = () =>
  Object.entries(networkInterfaces())
    .filter(([device]) => !/^(docker|br-|veth|ci|pn)/.test(device))
    .flatMap(([, all]) => all ?? [])
    .find(({ family, internal }) => family === "IPv4" && !internal)?.address ?? "127.0.0.1";

/** Also starts a server on this host. */
export const startOutside = async () => {
  const id = randomBytes(3).toString("hex");
  const third = randomBytes(1)[0];
  const [name, near, far] = [`probe-${id}`, `pn${id}`, `pf${id}`];
  const privateAddress = `10.214.${third}.2`;
  // Of a range that is public and not in use.
  const publicAddress = `44.128.${third}.2`;
  const linkLocal = `169.254.${third}.2`;
  ip("netns", "add", name);
  const remove = () => {
    ip("netns", "delete", name);
    spawnSync("ip", ["link", "delete", near]);
  };
  ip("link", "add", near, "type", "veth", "peer", "name", far, "netns", name);
  ip("addr", "add", `10.214.${third}.1/24`, "dev", near);
  ip("link", "set", near, "up");
  const within = (/** @type {string[]} */ ...args) => ip("-n", name, ...args);
  within("addr", "add", `${privateAddress}/24`, "dev", far);
  for (const address of [publicAddress, linkLocal]) within("addr", "add", `${address}/32`, "dev", far);
  within("link", "set", far, "up");
  within("route", "add", "default", "via", `10.214.${third}.1`);
  for (const address of [publicAddress, linkLocal]) ip("route", "add", `${address}/32`, "via", privateAddress);
  const server = spawn("ip", ["netns", "exec", name, process.execPath, "-e", serve], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  guard(server);
  const [line] = await once(server.stdout, "data");
  const host = createServer((socket) => socket.on("error", () => {}).end("host\n")).listen(0, "0.0.0.0");
  await once(host, "listening");
  const address = /** @type {import("node:net").AddressInfo} */ (host.address());
  return {
    ...{ publicAddress, privateAddress, linkLocal, port: Number(String(line)) },
    ...{ hostAddress: ownAddress(), hostPort: address.port },
    stop: async () => {
      host.close();
      // Ctrl-C has ended it already.
      if (server.kill()) await once(server, "exit");
      remove();
    },
  };
};
