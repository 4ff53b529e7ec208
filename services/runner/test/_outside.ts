import { execFileSync, spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { networkInterfaces, tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import type Docker from "dockerode";

const ip = (...args: string[]) => execFileSync("ip", args, { stdio: "pipe" });

/** Reports whether this process may set packet filters and make networks. */
export function canFilter(): boolean {
  const probe = `ci-${randomBytes(3).toString("hex")}`;
  const made = spawnSync("ip", ["netns", "add", probe]).status === 0;
  if (made) ip("netns", "delete", probe);
  return made && spawnSync("iptables", ["-w", "-n", "-L", "INPUT"]).status === 0;
}

/** A host beyond this one, which serves HTTP at a public, a private and a link-local address, and a server of this host. */
export interface Outside extends AsyncDisposable {
  readonly publicAddress: string;
  readonly privateAddress: string;
  readonly linkLocalAddress: string;
  readonly port: number;
  /** An address of this host. */
  readonly hostAddress: string;
  readonly hostPort: number;
}

const serve = `require("node:http").createServer((_, answer) => answer.end("outside"))
  .listen(0, function () { console.log(this.address().port) })`;

/** Returns the third byte of addresses that neither this run's other workers nor this machine use. */
function freeThird(): number {
  const used = Object.values(networkInterfaces()).flatMap((all) => all?.map(({ address }) => address) ?? []);
  for (;;) {
    const third = (randomBytes(1)[0]! & 0xf0) + (Number(process.env.JEST_WORKER_ID) % 16);
    if (!used.includes(`10.213.${third}.1`)) return third;
  }
}

export async function startOutside(): Promise<Outside> {
  const id = randomBytes(3).toString("hex");
  const third = freeThird();
  const name = `ci-${id}`;
  const [near, far] = [`cn${id}`, `cf${id}`];
  // Of a range that is public and not in use.
  const publicAddress = `44.128.${third}.2`;
  const linkLocalAddress = `169.254.${third}.2`;
  const privateAddress = `10.213.${third}.2`;
  ip("netns", "add", name);
  ip("link", "add", near, "type", "veth", "peer", "name", far, "netns", name);
  ip("addr", "add", `10.213.${third}.1/24`, "dev", near);
  ip("link", "set", near, "up");
  const within = (...args: string[]) => ip("-n", name, ...args);
  within("addr", "add", `${privateAddress}/24`, "dev", far);
  for (const address of [publicAddress, linkLocalAddress]) within("addr", "add", `${address}/32`, "dev", far);
  within("link", "set", far, "up");
  within("route", "add", "default", "via", `10.213.${third}.1`);
  for (const address of [publicAddress, linkLocalAddress]) ip("route", "add", `${address}/32`, "via", privateAddress);
  const server = spawn("ip", ["netns", "exec", name, process.execPath, "-e", serve], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = await once(server.stdout, "data");
  const host = createServer((_request, answer) => answer.end("host")).listen(0, "0.0.0.0");
  await once(host, "listening");
  const external = Object.entries(networkInterfaces())
    .filter(([device]) => !/^(docker|br-|veth|ci|cn)/.test(device))
    .flatMap(([, all]) => all ?? [])
    .find(({ family, internal }) => family === "IPv4" && !internal);
  return {
    ...{ publicAddress, privateAddress, linkLocalAddress, port: Number(String(line)) },
    hostAddress: external!.address,
    hostPort: (host.address() as { port: number }).port,
    async [Symbol.asyncDispose]() {
      host.closeAllConnections();
      host.close();
      server.kill();
      await once(server, "exit");
      ip("netns", "delete", name);
      spawnSync("ip", ["link", "delete", near]);
    },
  };
}

/** Makes an image with this machine's iptables on top of one with a shell. */
export async function iptablesImage(engine: Docker, base: string): Promise<string> {
  const tag = `ci-test-iptables:${randomBytes(4).toString("hex")}`;
  const root = mkdtempSync(join(tmpdir(), "runner-test-"));
  const put = (path: string) => {
    mkdirSync(join(root, dirname(path)), { recursive: true });
    copyFileSync(path, join(root, path));
  };
  const librariesOf = (path: string) => execFileSync("ldd", [path], { encoding: "utf8" }).match(/\/\S+(?= \()/g) ?? [];
  const program = execFileSync("readlink", ["-f", "/usr/sbin/iptables"], { encoding: "utf8" }).trim();
  const libraries = librariesOf(program);
  const plugins = join(dirname(libraries.find((path) => path.includes("libxtables"))!), "xtables");
  const multi = execFileSync("readlink", ["-f", program], { encoding: "utf8" }).trim();
  for (const path of [multi, ...libraries]) put(path);
  const pluginFolder = `/usr${plugins.replace(/^\/usr/, "")}`;
  for (const file of readdirSync(pluginFolder)) put(join(pluginFolder, file));
  mkdirSync(join(root, "usr/sbin"), { recursive: true });
  for (const name of ["iptables", "iptables-restore", "ip6tables", "ip6tables-restore"])
    symlinkSync(basename(multi), join(root, "usr/sbin", name));
  writeFileSync(join(root, "Dockerfile"), `FROM ${base}\nCOPY . /\n`);
  const tar = spawn("tar", ["-C", root, "-c", "."], { stdio: ["ignore", "pipe", "inherit"] });
  const progress = await engine.buildImage(tar.stdout, { t: tag });
  await new Promise((resolve, reject) =>
    engine.modem.followProgress(progress, (error, said) => {
      const failure = error ?? (said.find((line: { error?: string }) => line.error) as { error?: string })?.error;
      return failure ? reject(failure) : resolve(0);
    }),
  );
  rmSync(root, { recursive: true });
  return tag;
}
