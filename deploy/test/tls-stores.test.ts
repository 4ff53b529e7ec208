import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { newAuthority } from "@ci/certificates/authority";
import { eventually } from "@ci/testkit/eventually";
import { identitySettings } from "@ci/testkit/identities";
import { freePort } from "@ci/testkit/ports";
import { startMongoWith, startNatsWith } from "@ci/testkit/stores";
import { deployDir } from "./_compose.js";

const dir = mkdtempSync(join(tmpdir(), "ci-tls-"));
const fileOf = (name: string) => join(dir, name);
const password = "n".repeat(20);

let mongo: Awaited<ReturnType<typeof startMongoWith>>;
let nats: Awaited<ReturnType<typeof startNatsWith>>;
let plainNats: Awaited<ReturnType<typeof startNatsWith>>;
beforeAll(async () => {
  const authority = await newAuthority(2);
  const { cert, key } = await authority.sign(["localhost", "127.0.0.1"], 1);
  const files = { "ca.crt": authority.ca, "other-ca.crt": (await newAuthority(2)).ca, "tls.crt": cert, "tls.key": key };
  for (const [name, text] of Object.entries({ ...files, "both.pem": cert + key })) writeFileSync(fileOf(name), text);
  const tls = [
    "--tlsMode",
    "requireTLS",
    "--tlsCertificateKeyFile",
    fileOf("both.pem"),
    "--tlsCAFile",
    fileOf("ca.crt"),
  ];
  mongo = await startMongoWith(...tls, "--tlsAllowConnectionsWithoutCertificates");
  const config = (name: string, more: string) => {
    const folder = fileOf(name);
    mkdirSync(folder);
    const user = `authorization { users: [{ user: namespaces, password: ${password} }] }`;
    writeFileSync(`${folder}.conf`, `max_payload: 8MB\njetstream { store_dir: "${folder}" }\n${user}\n${more}`);
    return `${folder}.conf`;
  };
  const certificate = `tls { cert_file: "${fileOf("tls.crt")}", key_file: "${fileOf("tls.key")}" }`;
  nats = await startNatsWith(config("nats", certificate), process.env);
  plainNats = await startNatsWith(config("plain", ""), process.env);
});
afterAll(async () => {
  for (const server of [mongo, nats, plainNats]) await server?.[Symbol.asyncDispose]();
  rmSync(dir, { recursive: true, force: true });
});

/** A running namespaces service. */
class Namespaces implements AsyncDisposable {
  readonly #child: ChildProcess;

  private constructor(
    readonly adminUrl: string,
    env: NodeJS.ProcessEnv,
  ) {
    const main = join(deployDir, "../services/namespaces/dist/main.js");
    this.#child = spawn(process.env.CI_NODE || process.execPath, [main], { env, stdio: "ignore" });
  }

  static async with(settings: NodeJS.ProcessEnv): Promise<Namespaces> {
    const admin = `127.0.0.1:${await freePort()}`;
    const secrets = { SECRET_KEYS: `a:${Buffer.alloc(32).toString("base64")}`, CI_ADMIN_TOKEN: "t".repeat(40) };
    const env = { PATH: process.env.PATH, ADMIN_LISTEN: admin, ...secrets, ...identitySettings("namespaces") };
    return new Namespaces(`http://${admin}`, { ...env, LOG_LEVEL: "silent", ...settings });
  }

  /** Returns whether it is ready, and connected to NATS. */
  async state(): Promise<{ ready: boolean; nats: boolean }> {
    const [ready, metrics] = await Promise.all(["readyz", "metrics"].map((path) => fetch(`${this.adminUrl}/${path}`)));
    return { ready: ready!.ok, nats: /^ci_nats_connected 1$/m.test(await metrics!.text()) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill("SIGKILL");
    await once(this.#child, "exit");
  }
}

/** The client of NATS compares certificates with host names only. */
const natsUrl = (scheme: string, address: string) =>
  `${scheme}://namespaces:${password}@${address.replace("127.0.0.1", "localhost")}`;

it("a service connects to MongoDB and NATS over TLS, and trusts the authority that NODE_EXTRA_CA_CERTS names", async () => {
  await using service = await Namespaces.with({
    MONGO_URL: `mongodb://${mongo.address}/?tls=true`,
    NATS_URL: natsUrl("tls", nats.address),
    NODE_EXTRA_CA_CERTS: fileOf("ca.crt"),
  });
  await eventually(async () => expect(await service.state()).toEqual({ ready: true, nats: true }));
});

it.each<[string, string, () => string, string, boolean]>([
  ["refuses", "tls, but the server has none", () => natsUrl("tls", plainNats.address), "ca.crt", false],
  ["refuses", "tls, but it does not trust the authority", () => natsUrl("tls", nats.address), "other-ca.crt", false],
  ["uses", "nats, and the server has no TLS", () => natsUrl("nats", plainNats.address), "ca.crt", true],
])("a service %s NATS if the scheme of NATS_URL is %s", async (_verb, _case, url, ca, connects) => {
  await using service = await Namespaces.with({
    MONGO_URL: `mongodb://${mongo.address}/?tls=true&tlsCAFile=${fileOf("ca.crt")}`,
    NATS_URL: url(),
    NODE_EXTRA_CA_CERTS: fileOf(ca),
  });
  await eventually(async () => expect(await service.state()).toEqual({ ready: true, nats: connects }));
});
