// Talks to the Docker Engine over its socket: a docker client on the PATH does not prove that an engine runs.
import { spawn } from "node:child_process";
import { closeSync, existsSync, mkdirSync, openSync, readFileSync } from "node:fs";
import http from "node:http";
import https from "node:https";
import { homedir } from "node:os";
import { join } from "node:path";
import { cacheDir, installPackages, lastLine, mayInstallPackages, onPath, waitFor, withLock } from "./machine.mjs";

/**
 * Returns possible addresses of an engine, written as for DOCKER_HOST, the most likely one first.
 * @returns {string[]}
 */
const addresses = () => {
  if (process.env.DOCKER_HOST) return [process.env.DOCKER_HOST];
  if (process.platform === "win32") return ["npipe:////./pipe/docker_engine"];
  const runtimeDir = process.env.XDG_RUNTIME_DIR;
  return [
    "/var/run/docker.sock",
    ...(runtimeDir ? [join(runtimeDir, "docker.sock")] : []),
    join(homedir(), ".docker/run/docker.sock"),
    join(homedir(), ".docker/desktop/docker.sock"),
  ]
    .filter((path) => existsSync(path))
    .map((path) => `unix://${path}`);
};

/**
 * Returns node:http's options for an engine's address.
 * @param {string} address
 * @returns {http.RequestOptions}
 */
const connectionTo = (address) => {
  if (address.startsWith("unix://")) return { socketPath: address.slice("unix://".length) };
  if (address.startsWith("npipe://")) return { socketPath: address.slice("npipe://".length).replaceAll("/", "\\") };
  const { hostname, port, protocol } = new URL(address);
  const certDir = process.env.DOCKER_TLS_VERIFY && (process.env.DOCKER_CERT_PATH ?? join(homedir(), ".docker"));
  if (!certDir && protocol !== "https:") return { protocol: "http:", hostname, port: port || 2375 };
  const pem = (/** @type {string} */ name) => (certDir ? readFileSync(join(certDir, `${name}.pem`)) : undefined);
  return { protocol: "https:", hostname, port: port || 2376, ...{ ca: pem("ca"), cert: pem("cert"), key: pem("key") } };
};

/**
 * Sends one request to an engine and reads the whole response.
 * @param {string} address
 * @param {string} method
 * @param {string} path
 * @param {{ body?: import("node:stream").Readable, silenceMs?: number }} [options] `silenceMs` is how long the connection may be idle
 * @returns {Promise<{ status: number, body: string }>}
 */
export const requestEngine = (address, method, path, { body, silenceMs = 10_000 } = {}) =>
  new Promise((resolve, reject) => {
    const options = connectionTo(address);
    const headers = body ? { "content-type": "application/x-tar" } : { "content-length": 0 };
    const { request } = options.protocol === "https:" ? https : http;
    const outgoing = request({ ...options, method, path, headers, timeout: silenceMs }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk) => {
        text += chunk;
      });
      response.on("end", () => resolve({ status: response.statusCode ?? 0, body: text }));
      response.on("error", reject);
    });
    outgoing.on("error", reject);
    outgoing.on("timeout", () => outgoing.destroy(new Error(`the engine sent nothing for ${silenceMs} ms`)));
    if (body) body.on("error", (error) => outgoing.destroy(error)).pipe(outgoing);
    else outgoing.end();
  });

/**
 * Returns the address of a running engine, written as for DOCKER_HOST, or undefined.
 * @returns {Promise<string | undefined>}
 */
export const findEngine = async () => {
  for (const address of addresses()) {
    const pong = await Promise.resolve()
      .then(() => requestEngine(address, "GET", "/_ping", { silenceMs: 5_000 }))
      .catch(() => undefined);
    if (pong?.status === 200) return address;
  }
  return undefined;
};

/**
 * Finds a running engine, or installs and starts Debian's if this machine permits that. The engine outlives this process.
 * @returns {Promise<{ address: string } | { reason: string }>}
 */
export const setUpEngine = async () => {
  const address = await findEngine();
  if (address) return { address };
  if (process.env.DOCKER_HOST) return { reason: `no Docker Engine answers at DOCKER_HOST=${process.env.DOCKER_HOST}` };
  if (process.platform !== "linux" || process.getuid?.() !== 0 || (!onPath("dockerd") && !mayInstallPackages()))
    return { reason: "no Docker Engine answers: start Docker, or set DOCKER_HOST" };
  return withLock("engine", async () => {
    // Another process may have started it meanwhile.
    const ready = await findEngine();
    return ready ? { address: ready } : await installAndStart();
  });
};

/** @returns {Promise<{ address: string } | { reason: string }>} */
const installAndStart = async () => {
  if (!onPath("dockerd")) {
    const reason = await installPackages(["docker.io", "ca-certificates"]);
    if (reason) return { reason };
    // With a service manager, installing the package starts the engine.
    const address = existsSync("/run/systemd/system") && (await waitFor(findEngine, { withinMs: 20_000 }));
    if (address) return { address };
  }
  return startEngine();
};

/** @returns {Promise<{ address: string } | { reason: string }>} */
const startEngine = async () => {
  console.log("Starting the Docker Engine ...");
  mkdirSync(cacheDir, { recursive: true });
  const logFile = join(cacheDir, "dockerd.log");
  const log = openSync(logFile, "w");
  const engine = spawn("dockerd", [], { detached: true, stdio: ["ignore", log, log] });
  closeSync(log);
  let over = false;
  engine.on("error", () => {
    over = true;
  });
  engine.on("exit", () => {
    over = true;
  });
  engine.unref();
  await waitFor(async () => over || (await findEngine()), { withinMs: 60_000, everyMs: 200 });
  const address = await findEngine();
  if (address) return { address };
  const logged = readFileSync(logFile, "utf8");
  const why = /^failed to start daemon: (.*)$/m.exec(logged)?.[1] ?? lastLine(logged);
  return { reason: `dockerd did not start: ${why}` };
};
