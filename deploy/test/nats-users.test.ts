import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { natsServers } from "@ci/kit/bus/nats-servers";
import { notRun } from "@ci/testkit/not-run";
import { startNatsWith } from "@ci/testkit/stores";
import { connect } from "nats";
import { parse } from "yaml";
import {
  containersOf,
  environmentOf,
  helmOptions,
  ofKind,
  partOf,
  type Rendered,
  render,
  tool,
  workloads,
} from "./_chart.js";
import { deployDir } from "./_compose.js";
import { services } from "./_settings.js";

/** What a deployment gives to NATS, to the script that writes its users, and to the services. */
interface Deployed {
  readonly config: string;
  readonly users: Record<string, string>;
  readonly nats: Record<string, string>;
  readonly urlOf: (service: string) => string;
}

const dir = mkdtempSync(join(tmpdir(), "ci-nats-users-"));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

/** Starts NATS as the deployment does, and returns what each service may publish and subscribe. */
async function rightsIn({ config, users, nats, urlOf }: Deployed): Promise<Record<string, string[]>> {
  for (const folder of ["service-ci", "nats-users", "data"]) mkdirSync(join(dir, folder), { recursive: true });
  const configFile = join(dir, "service-ci/nats.conf");
  writeFileSync(configFile, config.replace("/data", join(dir, "data")).replace("http_port: 8222\n", ""));
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
    const { user, pass } = natsServers(urlOf(service));
    expect(user).toBe(service);
    const client = await connect({ servers: server.address, user, pass });
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
  builds: [
    ...["publish shop.events.build.finished", "subscription shop.events.build.finished"],
    ...["publish shop.nudge.queue.docker", "publish shop.nudge.queue.os"],
  ],
  images: ["publish shop.events.images"],
  webhooks: [],
  runner: ["subscription shop.nudge.queue.docker"],
};

it("Compose gives each service a user of NATS with its own subjects, also after an upgrade", async () => {
  const file = join(dir, "env");
  const secrets = () => {
    execFileSync("sh", [join(deployDir, "secrets.sh"), file]);
    const lines = readFileSync(file, "utf8").trim().split("\n");
    return Object.fromEntries(lines.map((line) => line.split(/=(.*)/s) as [string, string]));
  };
  // An earlier version had one user.
  writeFileSync(file, "SECRET_KEYS=old\nNATS_PASSWORD=nold");
  const given: Record<string, string> = { ...secrets(), SUBJECT_PREFIX: "shop" };
  expect(given).toMatchObject({ SECRET_KEYS: "old", NATS_PASSWORD: "nold" });
  const after = readFileSync(file, "utf8");
  expect({ ...secrets(), SUBJECT_PREFIX: "shop" }).toEqual(given);
  expect(readFileSync(file, "utf8")).toBe(after);

  const compose = parse(readFileSync(join(deployDir, "compose.yaml"), "utf8"), { merge: true });
  const filled = (name: string, text: string | null) =>
    text === null
      ? (given[name] ?? "")
      : text.replace(/\$\{(\w+)(?::-([^}]*)|:\?[^}]*)?\}/g, (_, key, or = "") => given[key] ?? or);
  const environment = (service: string): Record<string, string> =>
    Object.fromEntries(
      Object.entries<string | null>(compose.services[service].environment).map(([name, text]) => [
        name,
        filled(name, text),
      ]),
    );
  const config = readFileSync(join(deployDir, "nats.conf"), "utf8");
  const urlOf = (service: string) => environment(service).NATS_URL!;
  expect(await rightsIn({ config, users: environment("nats-users"), nats: environment("nats"), urlOf })).toEqual(
    expected,
  );
});

const helm = tool("helm");
if ("reason" in helm) notRun("users of NATS in the chart", helm.reason);
else
  it("the chart gives each service a user of NATS with its own subjects", async () => {
    const all = render(helm, helmOptions("minimal", { subjectPrefix: "shop" }));
    const part = (name: string) => workloads(all).find(({ metadata }) => partOf(metadata.labels) === name);
    const container = (name: string, of: Rendered) => containersOf(of).find((one) => one.name === name);
    const environment = (name: string, of: Rendered) => environmentOf(all, container(name, of), {});
    const config = ofKind(all, "ConfigMap").find(({ data }) => data["nats.conf"]).data["nats.conf"];
    const [users, nats] = [environment("users", part("nats")), environment("nats", part("nats"))];
    const urlOf = (service: string) => environment(service, part(service)).NATS_URL!;
    expect(await rightsIn({ config, users, nats, urlOf })).toEqual(expected);
  });
