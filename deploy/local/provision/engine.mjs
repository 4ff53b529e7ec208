// The Docker Engine: asked over its socket, since a docker client on the PATH says nothing about an engine.
import { spawn } from "node:child_process";
import { closeSync, existsSync, mkdirSync, openSync, readFileSync } from "node:fs";
import http from "node:http";
import https from "node:https";
import { homedir } from "node:os";
import { join } from "node:path";
import { alone, cacheDir, installPackages, lastLine, mayInstallPackages, onPath, waitFor } from "./machine.mjs";

/**
 * Addresses an engine may have here, in DOCKER_HOST's spelling, likeliest first.
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
 * How node:http reaches an engine.
 * @param {string} address
 * @returns {http.RequestOptions}
 */
const reach = (address) => {
  if (address.startsWith("unix://")) return { socketPath: address.slice("unix://".length) };
  if (address.startsWith("npipe://")) return { socketPath: address.slice("npipe://".length).replaceAll("/", "\\") };
  const { hostname, port, protocol } = new URL(address);
  const certDir = process.env.DOCKER_TLS_VERIFY && (process.env.DOCKER_CERT_PATH ?? join(homedir(), ".docker"));
  if (!certDir && protocol !== "https:") return { protocol: "http:", hostname, port: port || 2375 };
  const pem = (/** @type {string} */ name) => (certDir ? readFileSync(join(certDir, `${name}.pem`)) : undefined);
  return { protocol: "https:", hostname, port: port || 2376, ...{ ca: pem("ca"), cert: pem("cert"), key: pem("key") } };
};

/**
 * One request to an engine, with the answer's whole body.
 * @param {string} address
 * @param {string} method
 * @param {string} path
 * @param {{ body?: import("node:stream").Readable, silenceMs?: number }} [options] `silenceMs` is how long nothing may move
 * @returns {Promise<{ status: number, body: string }>}
 */
export const askEngine = (address, method, path, { body, silenceMs = 10_000 } = {}) =>
  new Promise((resolve, reject) => {
    const options = reach(address);
    const headers = body ? { "content-type": "application/x-tar" } : { "content-length": 0 };
    const { request } = options.protocol === "https:" ? https : http;
    const asked = request({ ...options, method, path, headers, timeout: silenceMs }, (answer) => {
      let text = "";
      answer.setEncoding("utf8");
      answer.on("data", (chunk) => {
        text += chunk;
      });
      answer.on("end", () => resolve({ status: answer.statusCode ?? 0, body: text }));
      answer.on("error", reject);
    });
    asked.on("error", reject);
    asked.on("timeout", () => asked.destroy(new Error(`the engine was silent for ${silenceMs} ms`)));
    if (body) body.on("error", (error) => asked.destroy(error)).pipe(asked);
    else asked.end();
  });

/**
 * The address of an engine that answers, as DOCKER_HOST would name it; nothing if none does.
 * @returns {Promise<string | undefined>}
 */
export const dockerAnswers = async () => {
  for (const address of addresses()) {
    const pong = await Promise.resolve()
      .then(() => askEngine(address, "GET", "/_ping", { silenceMs: 5_000 }))
      .catch(() => undefined);
    if (pong?.status === 200) return address;
  }
  return undefined;
};

/**
 * An engine that answers: one that is there already, or Debian's, installed and started if this machine lets us.
 * The engine outlives this process.
 * @returns {Promise<{ address: string } | { reason: string }>}
 */
export const setUpEngine = async () => {
  const address = await dockerAnswers();
  if (address) return { address };
  if (process.env.DOCKER_HOST) return { reason: `no Docker Engine answers at DOCKER_HOST=${process.env.DOCKER_HOST}` };
  if (process.platform !== "linux" || process.getuid?.() !== 0 || (!onPath("dockerd") && !mayInstallPackages()))
    return { reason: "no Docker Engine answers: start Docker, or set DOCKER_HOST" };
  return alone("engine", async () => {
    // Another process may have set it up while this one waited for its turn.
    const ready = await dockerAnswers();
    return ready ? { address: ready } : await installAndStart();
  });
};

/** @returns {Promise<{ address: string } | { reason: string }>} */
const installAndStart = async () => {
  if (!onPath("dockerd")) {
    const reason = await installPackages(["docker.io", "ca-certificates"]);
    if (reason) return { reason };
    // Where a service manager runs, the package has just started the engine.
    const address = existsSync("/run/systemd/system") && (await waitFor(dockerAnswers, { withinMs: 20_000 }));
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
  await waitFor(async () => over || (await dockerAnswers()), { withinMs: 60_000, everyMs: 200 });
  const address = await dockerAnswers();
  if (address) return { address };
  const said = readFileSync(logFile, "utf8");
  const why = /^failed to start daemon: (.*)$/m.exec(said)?.[1] ?? lastLine(said);
  return { reason: `dockerd did not start: ${why}` };
};
