import { readFileSync } from "node:fs";
import { join } from "node:path";
import { storedServices } from "@ci/kit/mongo/users";
import { readSettings, stopConfig } from "@ci/kit/process/config";
import { parseDuration } from "@ci/kit/process/setting-types";
import { parse } from "yaml";
import { readConfig as runnerConfig } from "../../services/runner/src/config.js";
import { deployDir } from "./_compose.js";
import { readBy, services, settingsOf } from "./_settings.js";

const read = (file: string) => readFileSync(join(deployDir, file), "utf8");
const compose = parse(read("compose.yaml"), { merge: true });
const dockerfile = read("Dockerfile");

const secrets: Record<string, string> = {
  ...Object.fromEntries(services.map((name) => [`NATS_PASSWORD_${name.toUpperCase()}`, "n"])),
  ...Object.fromEntries(storedServices.map((name) => [`MONGO_PASSWORD_${name.toUpperCase()}`, "m"])),
  SECRET_KEYS: `main:${Buffer.alloc(32).toString("base64")}`,
  CI_ADMIN_TOKEN: "a".repeat(40),
};

/** `${NAME}`, `${NAME:-otherwise}`, `${NAME:+instead}` and `${NAME:?complaint}` as Compose reads them, innermost first. */
function interpolated(text: string): string {
  const once = text.replace(
    /\$\{(\w+)(?::-([^${}]*)|:\+([^${}]*)|:\?[^{}]*)?\}/g,
    (_, name, otherwise = "", instead = secrets[name]) => (secrets[name] ? instead : otherwise),
  );
  return once === text ? text : interpolated(once);
}

/** Returns a service's environment with only secrets in deploy/.env. */
const environmentOf = (service: string): Record<string, string> =>
  Object.fromEntries(
    Object.entries<string | null>(compose.services[service].environment)
      .filter(([, value]) => value !== null)
      .map(([name, value]) => [name, interpolated(value!)]),
  );

/** Settings that make no sense in a container, and those of deploy/compose.remote-engine.yaml. */
const excluded: Record<string, string[]> = {
  gateway: ["WEB_DIR"],
  images: ["PATH"],
  runner: ["PATH", "QEMU_UID", "OS_UIDS", "DOCKER_TLS_VERIFY", "DOCKER_CERT_PATH"],
};
const everywhere = ["SERVICE_KEY", "SERVICE_PEERS", "MONGO_DB"];
const ofTraces = ["ENDPOINT", "HEADERS"].map((name) => `OTEL_EXPORTER_OTLP_${name}`);
const ofNode = [
  ...ofTraces,
  "NODE_OPTIONS",
  "OTEL_RESOURCE_ATTRIBUTES",
  "OTEL_TRACES_SAMPLER",
  "OTEL_TRACES_SAMPLER_ARG",
];

it.each(services)(
  "deploy/compose.yaml gives %s all required settings, passes on all others that it knows, and nothing else",
  (service) => {
    expect(readBy(service, environmentOf(service)).complaint).toBeUndefined();
    const known = [...settingsOf(service)].filter(
      (name) => ![...everywhere, ...(excluded[service] ?? [])].includes(name),
    );
    const given = Object.keys(compose.services[service].environment).filter(
      (name) => !(service === "runner" && name === "LISTEN"),
    );
    expect(given.sort()).toEqual([...known, ...ofNode].sort());
    const [, image] = /^ENV NODE_OPTIONS=(\S+)/m.exec(dockerfile)!;
    expect(environmentOf(service).NODE_OPTIONS!.trim()).toBe(image);
  },
);

it.each(Object.entries<{ environment?: Record<string, string | null> }>(compose.services))(
  "deploy/compose.yaml has no default for a secret of %s",
  (_name, { environment = {} }) => {
    for (const value of Object.values(environment))
      if (/PASSWORD|TOKEN|KEYS|MONGO_KEY/.test(value ?? "")) expect(value).toMatch(/\$\{\w+:\?[^}]*\}/);
  },
);

it("deploy/compose.yaml gives services enough time to stop", () => {
  const graceOf = (service: string) => interpolated(compose.services[service].stop_grace_period).replace(/m$/, "min");
  const { stopDelayMs, stopGraceMs } = readSettings({}, stopConfig);
  for (const service of services.filter((name) => name !== "runner"))
    expect(parseDuration(graceOf(service))).toBeGreaterThanOrEqual(stopDelayMs + stopGraceMs + 30_000);
  const { drainMs } = runnerConfig(environmentOf("runner"));
  expect(parseDuration(graceOf("runner"))).toBeGreaterThanOrEqual(drainMs + 30_000);
});

it("deploy/Dockerfile uses the same version of pnpm as npm test", () => {
  const [, pnpm] = /const pnpm = "(pnpm@[\d.]+)"/.exec(read("local/provision/install.mjs"))!;
  expect(dockerfile).toContain(`ENV PNPM=${pnpm}\n`);
});

it("deploy/Dockerfile, the tests and the packages have the same version of Node", () => {
  const [, base, version] = /ARG NODE_IMAGE=(node:([\d.]+)\S+)/.exec(dockerfile)!;
  expect(read("local/provision/images.mjs")).toContain(`"${base}"`);
  const { optionalDependencies } = JSON.parse(read("node/package.json"));
  expect([...new Set(Object.values(optionalDependencies))]).toEqual([version]);
});
