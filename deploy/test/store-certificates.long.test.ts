import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { newAuthority } from "@ci/certificates/authority";
import { folders, writeCertificates } from "@ci/certificates/write";
import { openNatsLink } from "@ci/kit/bus/nats-link";
import { natsServers } from "@ci/kit/bus/nats-servers";
import { type Mongo, openMongo } from "@ci/kit/mongo/mongo";
import { createLog } from "@ci/kit/process/log";
import { eventually } from "@ci/testkit/eventually";
import { startMongoWith, startNatsWith } from "@ci/testkit/stores";
import { connect } from "nats";
import { installedCertificates, ownUser } from "./_certificates.js";
import { deployDir } from "./_compose.js";
import { composeEnvironment, composeSecrets, mongodOptions, type Variables } from "./_environments.js";
import { imageScript, runningScript } from "./_scripts.js";

// Passwords are expensive to check on a busy machine.

const dir = mkdtempSync(join(tmpdir(), "ci-store-certificates-"));
let certificates: string;
let secrets: Variables;
let mongo: Awaited<ReturnType<typeof startMongoWith>>;
let nats: Awaited<ReturnType<typeof startNatsWith>>;
beforeAll(async () => {
  certificates = await installedCertificates();
  secrets = composeSecrets(join(dir, "env"));
  for (const folder of ["keys", "service-ci", "nats-users", "data"]) mkdirSync(join(dir, folder));
  await script("mongo.cjs", "key", join(dir, "keys"), join(certificates, "mongo"));
  mongo = await startMongoWith(...mongodOptions().map((option) => option.replace("/keys", join(dir, "keys"))));
  await script("mongo.cjs", "once");
  await script("nats.cjs", join(dir, "nats-users/users.conf"));
  const config = readFileSync(join(deployDir, "nats.conf"), "utf8");
  const here = config.replaceAll("/data", join(dir, "data")).replaceAll("/tls/", `${certificates}/nats/`);
  writeFileSync(join(dir, "service-ci/nats.conf"), here);
  nats = await startNatsWith(join(dir, "service-ci/nats.conf"), composeEnvironment(secrets, "nats"));
});
afterAll(async () => {
  for (const server of [mongo, nats]) await server?.[Symbol.asyncDispose]();
  for (const folder of [dir, certificates]) rmSync(folder, { recursive: true, force: true });
});

const environment = () => ({
  ...composeEnvironment(secrets, "mongo-key"),
  ...composeEnvironment(secrets, "mongo-set"),
  MONGO_MEMBERS: mongo?.address,
  TLS_CERT: join(certificates, "nats/tls.crt"),
  NATS_PID: join(dir, "data/nats.pid"),
  NATS_PORT: nats && portOf(nats),
});

const script = (name: string, ...args: string[]) => imageScript(name, args, environment());
const running = (name: string, ...args: string[]) => runningScript(name, args, environment());

const portOf = ({ address }: typeof nats) => address.split(":")[1]!;
const mongoUrl = () =>
  composeEnvironment(secrets, "builds")
    .MONGO_URL!.replace("@mongo:27017/", `@${mongo.address}/`)
    .replace("/tls/", `${certificates}/ca/`);
const natsUrl = () =>
  composeEnvironment(secrets, "builds")
    .NATS_URL!.replace("@nats:4222/", `@localhost:${portOf(nats)}/`)
    .replace("/tls/", `${certificates}/ca/`);

const ping = async (url: string) => {
  await using database = await openMongo(url, "ci_builds");
  await database.ping();
};
const hello = async (url: string) => (await connect({ ...natsServers(url), reconnect: false })).close();

describe("the bundled servers", () => {
  it("answer clients that trust the installation's authority", async () => {
    await ping(mongoUrl());
    await hello(natsUrl());
  });

  it("refuse clients that do not use TLS", async () => {
    await expect(ping(mongoUrl().replace(/&tls=.*/, ""))).rejects.toThrow(/closed|selection/);
    await expect(connect({ ...natsServers(natsUrl()), tls: null, reconnect: false })).rejects.toThrow();
    const plain = await promisify(execFile)(process.execPath, ["-e", natsInPlainText, portOf(nats)]);
    expect(plain.stdout).toMatch(/^INFO .*"tls_required":true/);
    expect(plain.stdout).not.toContain("PONG");
  });

  it("are refused by clients that trust another authority", async () => {
    const other = join(dir, "other.crt");
    writeFileSync(other, (await newAuthority(1)).ca);
    await expect(ping(mongoUrl().replace(/tlsCAFile=.*/, `tlsCAFile=${other}`))).rejects.toThrow(/certificate/);
    await expect(hello(natsUrl().replace(/tlsCAFile=.*/, `tlsCAFile=${other}`))).rejects.toThrow(/certificate/);
  });
});

/** Logs in without TLS, and prints what NATS says until it closes the connection. */
const natsInPlainText = `
  const socket = require("node:net").connect(process.argv[1], "127.0.0.1", () =>
    socket.write('CONNECT {"verbose":false,"user":"ci","pass":"x"}\\r\\nPING\\r\\n'));
  socket.pipe(process.stdout);`;

/** Makes all certificates again, by another authority. */
async function renew(): Promise<void> {
  rmSync(join(certificates, "runner/tls.key"));
  await writeCertificates(certificates, ownUser);
}

/** Ends the trust in the authority of earlier certificates. */
function forgetOldAuthority(): void {
  for (const name of folders) {
    const file = join(certificates, name, "ca.crt");
    const [newest] = readFileSync(file, "utf8").match(/-----BEGIN.*?-----END CERTIFICATE-----\n/gs)!;
    rmSync(file);
    writeFileSync(file, newest!);
  }
}

/** Opens further connections: each of these calls takes a second, so that one connection does not suffice. */
async function openConnections({ db }: Mongo): Promise<void> {
  const { topologyVersion } = await db.command({ hello: 1 }, { promoteLongs: false });
  await Promise.all(Array.from({ length: 4 }, () => db.command({ hello: 1, topologyVersion, maxAwaitTimeMS: 1_000 })));
}

const nothing: AsyncDisposable = { [Symbol.asyncDispose]: async () => undefined };

const waysToRenew: Readonly<Record<string, () => Promise<AsyncDisposable>>> = {
  async "`up` of Compose"() {
    await script("mongo.cjs", "key", join(dir, "keys"), join(certificates, "mongo"));
    await script("mongo.cjs", "once");
    await script("nats-reload.cjs", "once");
    return nothing;
  },
  async "the containers beside the servers in the chart"() {
    const both = [
      running("mongo.cjs", "keep", join(dir, "keys"), join(certificates, "mongo")),
      running("nats-reload.cjs", "keep"),
    ];
    return {
      [Symbol.asyncDispose]: async () => void (await Promise.all(both.map((one) => one[Symbol.asyncDispose]()))),
    };
  },
};

it.each(Object.keys(waysToRenew))(
  "%s give the servers a renewed certificate, and running services follow it to another authority",
  async (name) => {
    await using database = await openMongo(mongoUrl(), "ci_builds");
    await using link = await openNatsLink(natsUrl(), "builds", createLog("builds", "silent"));
    await database.ping();
    expect(link.live()).toBeDefined();
    await renew();
    await using _renewing = await waysToRenew[name]!();
    forgetOldAuthority();
    await eventually(async () => {
      await ping(mongoUrl());
      await hello(natsUrl());
    });
    await openConnections(database);
    await link.live()!.reconnect();
    await eventually(() => expect(link.number()).toBe(2));
  },
);
