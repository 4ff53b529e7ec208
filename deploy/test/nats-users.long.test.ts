import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { natsServers } from "@ci/kit/bus/nats-servers";
import { notRun } from "@ci/testkit/not-run";
import { startNatsWith } from "@ci/testkit/stores";
import { connect } from "nats";
import { installedCertificates } from "./_certificates.js";
import { helmOptions, ofKind, render, tool } from "./_chart.js";
import { deployDir } from "./_compose.js";
import { chartEnvironment, composeEnvironment, composeSecrets, type Variables } from "./_environments.js";
import { services } from "./_settings.js";

/** What a deployment gives to NATS, to the script that writes its users, and to the services. */
interface Deployed {
  readonly config: string;
  readonly users: Variables;
  readonly nats: Variables;
  readonly urlOf: (service: string) => string;
}

const dir = mkdtempSync(join(tmpdir(), "ci-nats-users-"));
let certificates: string;
beforeAll(async () => {
  certificates = await installedCertificates();
});
afterAll(() => {
  for (const folder of [dir, certificates]) rmSync(folder, { recursive: true, force: true });
});

/** Starts NATS as the deployment does, and returns what each service may publish and subscribe. */
async function rightsIn({ config, users, nats, urlOf }: Deployed): Promise<Record<string, string[]>> {
  for (const folder of ["service-ci", "nats-users", "data"]) mkdirSync(join(dir, folder), { recursive: true });
  const configFile = join(dir, "service-ci/nats.conf");
  const here = config
    .replaceAll("/data", join(dir, "data"))
    .replaceAll("/tls/", `${certificates}/nats/`)
    .replace("http_port: 8222\n", "");
  writeFileSync(configFile, here);
  const args = [join(deployDir, "image/nats.cjs"), join(dir, "nats-users/users.conf")];
  execFileSync(process.execPath, args, { cwd: join(deployDir, "../services/namespaces"), env: users });
  await using server = await startNatsWith(configFile, nats);
  const subjects = [
    "shop.events.build.finished",
    "shop.events.images",
    "shop.nudge.queue.docker",
    "shop.nudge.queue.os",
  ];
  const allowed = async (service: string): Promise<[string, string[]]> => {
    const { user, pass, tls } = natsServers(urlOf(service).replace("/tls/", `${certificates}/ca/`));
    expect([user, tls?.caFile]).toEqual([service, `${certificates}/ca/ca.crt`]);
    const client = await connect({ servers: server.address.replace("127.0.0.1", "localhost"), user, pass, tls });
    const denied: string[] = [];
    void (async () => {
      for await (const { permissionContext: at } of client.status()) denied.push(`${at?.operation} ${at?.subject}`);
    })();
    for (const subject of subjects) {
      client.publish(subject, "{}");
      client.subscribe(subject, { callback: () => undefined });
    }
    await client.flush();
    await new Promise(setImmediate);
    await client.close();
    const wanted = subjects.flatMap((subject) => [`publish ${subject}`, `subscription ${subject}`]);
    return [service, wanted.filter((one) => !denied.includes(one))];
  };
  return Object.fromEntries(await Promise.all(services.map(allowed)));
}

const expected = {
  gateway: [],
  namespaces: [],
  builds: ["publish shop.events.build.finished", "publish shop.nudge.queue.docker", "publish shop.nudge.queue.os"],
  images: ["publish shop.events.images"],
  webhooks: [],
  runner: ["subscription shop.nudge.queue.docker"],
};

it("Compose gives each service a user of NATS with its own subjects, also after an upgrade", async () => {
  const file = join(dir, "env");
  // An earlier version had one user.
  writeFileSync(file, "SECRET_KEYS=old\nNATS_PASSWORD=nold");
  const secrets = composeSecrets(file);
  expect(secrets).toMatchObject({ SECRET_KEYS: "old", NATS_PASSWORD: "nold" });
  const after = readFileSync(file, "utf8");
  expect(composeSecrets(file)).toEqual(secrets);
  expect(readFileSync(file, "utf8")).toBe(after);

  const of = (service: string) => composeEnvironment({ ...secrets, SUBJECT_PREFIX: "shop" }, service);
  const config = readFileSync(join(deployDir, "nats.conf"), "utf8");
  const urlOf = (service: string) => of(service).NATS_URL!;
  expect(await rightsIn({ config, users: of("nats-users"), nats: of("nats"), urlOf })).toEqual(expected);
});

const helm = tool("helm");
if ("reason" in helm) notRun("users of NATS in the chart", helm.reason);
else
  it("the chart gives each service a user of NATS with its own subjects", async () => {
    const all = render(helm, helmOptions("minimal", { subjectPrefix: "shop" }));
    const config = ofKind(all, "ConfigMap").find(({ data }) => data["nats.conf"]).data["nats.conf"];
    const [users, nats] = [chartEnvironment(all, "nats", "users"), chartEnvironment(all, "nats")];
    const urlOf = (service: string) => chartEnvironment(all, service).NATS_URL!;
    expect(await rightsIn({ config, users, nats, urlOf })).toEqual(expected);
  });
