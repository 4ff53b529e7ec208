import { spawnSync } from "node:child_process";
import { createHmac, randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { storedServices } from "@ci/kit/mongo/users";
import { serviceNames } from "@ci/kit/rpc/callers";
import { eventually } from "@ci/testkit/eventually";
import { notRun } from "@ci/testkit/not-run";
import { freePort } from "@ci/testkit/ports";
import { deployDir, type Installation, install, prepared } from "./_compose.js";

type Tools = { command: string[]; env: Record<string, string> } | { reason: string; failed?: true };

const image = process.env.CI_TEST_IMAGE;
const tools: Tools = image
  ? prepared<Tools>("test/prepare-compose.mjs")
  : { reason: "no Docker Engine answers, or no image for builds is there" };

const services: readonly string[] = serviceNames;
const webhookSecret = "correct horse battery staple";

interface Build {
  readonly url: string;
  readonly status: string;
  readonly artifacts_url: string;
}

function installation() {
  let installation: Installation;
  let url: string;

  async function call<T>(path: string, body?: unknown): Promise<T> {
    const headers = {
      Authorization: `Bearer ${installation.secrets.CI_ADMIN_TOKEN}`,
      "Content-Type": "application/json",
    };
    const posted = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
    // Docker's proxy accepts connections before the gateway listens, and a request may then wait forever.
    const signal = AbortSignal.timeout(60_000);
    const response = await fetch(new URL(path, url), { headers, signal, ...posted });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  }
  const submit = (...commands: string[]) => {
    const job = { stage: "test", commands, artifacts: ["out.txt"] };
    const driver = { type: "docker", image, workspace: "/work" };
    return call<Build>("/builds", {
      manifest: JSON.stringify({ namespace: "shop", driver, stages: ["test"], jobs: [job] }),
    });
  };
  const passed = (build: Build) =>
    eventually(
      async () => {
        const now = await call<Build>(build.url);
        expect(now.status).toBe("passed");
        return now;
      },
      { withinMs: 240_000 },
    );

  beforeAll(async () => {
    if ("reason" in tools) throw new Error(tools.reason);
    const CI_PORT = String(await freePort());
    url = `http://127.0.0.1:${CI_PORT}`;
    installation = install(tools.command, {
      ...tools.env,
      CI_PORT,
      CI_GUARD_ALLOW: "receiver",
      DOCKER_LOCAL_IMAGES: image!,
      RUNNER_NAME: `ci-${randomBytes(4).toString("hex")}`,
    });
    installation.compose("up", "--detach", "--no-build");
    await eventually(() => call("/version"), { withinMs: 240_000 });
  });
  afterAll(() => installation?.remove());

  it("runs a build submitted through the published port, keeps its artifact, and sends a webhook", async () => {
    await call("/namespaces", { name: "shop" });
    const webhook = { payload_url: "http://receiver:9090/", secret: webhookSecret, events: ["build.finished"] };
    await call("/n/admin/shop/-/webhooks", webhook);
    const build = await passed(await submit("echo hello > out.txt"));
    expect(await call(build.artifacts_url)).toMatchObject([{ name: "out.txt", size: 6 }]);
    await eventually(() => {
      const lines = installation.compose("logs", "--no-log-prefix", "receiver").trim().split("\n");
      const deliveries = lines.map((line) => JSON.parse(line)).filter(({ headers }) => headers["x-service-ci-event"]);
      const signature = createHmac("sha256", webhookSecret)
        .update(deliveries[0]?.body ?? "")
        .digest("hex");
      expect(deliveries).toMatchObject([
        { headers: { "x-service-ci-event": "build.finished", "x-service-ci-signature": `sha256=${signature}` } },
      ]);
    });
  });

  it("loses no build when its runner is replaced", async () => {
    const build = await submit("sleep 15", "echo again > out.txt");
    await eventually(async () => expect((await call<Build>(build.url)).status).toBe("running"));
    installation.compose("up", "--detach", "--no-build", "--no-deps", "--force-recreate", "runner");
    await passed(build);
  });

  it.each(services)("runs %s unprivileged, with a read-only file system", (service) => {
    const id = installation.compose("ps", "--quiet", service).trim();
    const [{ Config, HostConfig }] = JSON.parse(installation.docker("inspect", id));
    expect(Config.User).toBe("10001:10001");
    expect(HostConfig).toMatchObject({ ReadonlyRootfs: true, CapDrop: ["ALL"], Privileged: false });
    expect(installation.docker("exec", id, "node", "-p", "process.getuid()").trim()).toBe("10001");
    expect(() => installation.docker("exec", id, "node", "-e", "fs.writeFileSync('/app/x', '')")).toThrow(
      /EROFS|EACCES/,
    );
  });

  it("gives each service only the secrets that it needs", () => {
    const secretsOf = (service: string) => {
      const [{ Config }] = JSON.parse(
        installation.docker("inspect", installation.compose("ps", "--quiet", service).trim()),
      );
      const values = Config.Env.join("\n");
      return Object.keys(installation.secrets).filter(
        (name) => name !== "DOCKER_GID" && values.includes(installation.secrets[name]),
      );
    };
    expect(Object.fromEntries(services.map((service) => [service, secretsOf(service)]))).toEqual({
      gateway: ["NATS_PASSWORD_GATEWAY"],
      runner: ["NATS_PASSWORD_RUNNER"],
      namespaces: ["CI_ADMIN_TOKEN", "SECRET_KEYS", "MONGO_PASSWORD_NAMESPACES", "NATS_PASSWORD_NAMESPACES"],
      builds: ["SECRET_KEYS", "MONGO_PASSWORD_BUILDS", "NATS_PASSWORD_BUILDS"],
      images: ["SECRET_KEYS", "MONGO_PASSWORD_IMAGES", "NATS_PASSWORD_IMAGES"],
      webhooks: ["SECRET_KEYS", "MONGO_PASSWORD_WEBHOOKS", "NATS_PASSWORD_WEBHOOKS"],
    });
  });

  it("creates secrets once, readable only by their owner", () => {
    const before = readFileSync(installation.envFile, "utf8");
    expect(statSync(installation.envFile).mode & 0o777).toBe(0o600);
    expect(spawnSync("sh", [join(deployDir, "secrets.sh"), installation.envFile]).status).toBe(0);
    expect(readFileSync(installation.envFile, "utf8")).toBe(before);
  });

  /** Runs a script in the container of builds, and returns what it prints. */
  const inBuilds = (script: string) => installation.compose("exec", "-T", "builds", "node", "-e", script).trim();

  const read = (url: string, database: string, withinMs = 60_000) =>
    inBuilds(`require("mongodb").MongoClient.connect(${url}, { serverSelectionTimeoutMS: ${withinMs} })
      .then((client) => client.db("${database}").collection("builds").findOne({}))
      .then(() => console.log("read"), (error) => console.log(error.codeName ?? error.name))
      .then(() => process.exit(0))`);

  it("lets a service read its own database, and no client read without a password", () => {
    expect(read("process.env.MONGO_URL", "ci_builds")).toBe("read");
    expect(read("process.env.MONGO_URL", "ci_namespaces")).toBe("Unauthorized");
    const withoutPassword = `"mongodb://mongo:27017/?replicaSet=rs0&tls=true&tlsCAFile=/tls/ca.crt"`;
    expect(read(withoutPassword, "ci_builds")).toBe("Unauthorized");
  });

  it("refuses clients of MongoDB and NATS that do not use TLS", () => {
    expect(read(`process.env.MONGO_URL.replace(/&tls=.*/, "")`, "ci_builds", 5_000)).toBe("MongoServerSelectionError");
    const nats = inBuilds(`
      const { username, password } = new URL(process.env.NATS_URL);
      const socket = require("node:net").connect(4222, "nats", () =>
        socket.write("CONNECT " + JSON.stringify({ verbose: false, user: username, pass: password }) + "\\r\\nPING\\r\\n"));
      socket.pipe(process.stdout);`);
    expect(nats).toContain('"tls_required":true');
    expect(nats).not.toContain("PONG");
  });

  it("makes MongoDB and NATS use renewed certificates with the next `up`, without a restart", async () => {
    const idsOf = () =>
      [...services, "mongo", "nats"].map((name) => installation.compose("ps", "--quiet", name).trim());
    const before = idsOf();
    const issuers = () =>
      inBuilds(`
        const tls = require("node:tls"), net = require("node:net");
        const issuer = (socket) => new Promise((resolve, reject) => {
          const secure = tls.connect({ socket, rejectUnauthorized: false }, () =>
            resolve(secure.getPeerX509Certificate().issuer));
          secure.once("error", reject);
        });
        const nats = net.connect(4222, "nats");
        require("node:events").once(nats, "data")
          .then(() => Promise.all([issuer(net.connect(27017, "mongo")), issuer(nats)]))
          .then((all) => { console.log(all.join()); process.exit(0); });`).split(",");
    const [old] = issuers();
    expect(issuers()).toEqual([old, old]);
    // A missing file has the same effect as a certificate that ends within a year.
    installation.compose("run", "--rm", "certificates", "-e", "fs.rmSync('/tls/mongo/tls.key')");
    installation.compose("up", "--detach", "--no-build");
    await eventually(() => {
      const [mongo, nats] = issuers();
      expect(mongo).not.toBe(old);
      expect(nats).toBe(mongo);
    });
    expect(idsOf()).toEqual(before);
    await passed(await submit("echo renewed > out.txt"));
  });

  it("backs up and restores with the operator's user, also into itself", async () => {
    const folder = mkdtempSync(join(tmpdir(), "ci-compose-backup-"));
    try {
      const backup = (...args: string[]) =>
        installation.compose("run", "--rm", "--user", "0", "--volume", `${folder}:/backups`, "backup", ...args);
      expect(backup("backup", "/backups/today")).toMatch(/^Saved \d+ documents/);
      const elsewhere = storedServices.flatMap((service) => ["--database", `${service}=restored_${service}`]);
      expect(backup("restore", "/backups/today", ...elsewhere)).toMatch(/^Restored \d+ documents/);

      await call("/namespaces", { name: "later" });
      installation.compose("down");
      expect(backup("restore", "/backups/today", "--replace")).toMatch(/^Restored \d+ documents/);
      installation.docker("volume", "rm", `${installation.project}_nats`);
      installation.compose("up", "--detach", "--no-build");
      await eventually(() => call("/version"), { withinMs: 240_000 });
      expect(await call<{ name: string }[]>("/namespaces")).toMatchObject([{ name: "shop" }]);
      await passed(await submit("echo restored > out.txt"));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }, 800_000);
}

if ("reason" in tools && !tools.failed) notRun("the installation by Compose", tools.reason);
else describe("an installation by Compose", installation);
