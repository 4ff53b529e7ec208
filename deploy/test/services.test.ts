import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { services as certified } from "@ci/certificates/write";
import { rights } from "@ci/kit/bus/rights";
import { storedServices } from "@ci/kit/mongo/users";
import { serviceNames } from "@ci/kit/rpc/callers";
import { notRun } from "@ci/testkit/not-run";
import { parse } from "yaml";
import { helmOptions, ofKind, render, tool } from "./_chart.js";
import { deployDir } from "./_compose.js";
import { composeSecrets } from "./_environments.js";
import { services as configured } from "./_settings.js";

// The six services stand in several places that cannot read one another: a proto, scripts, Compose, the chart.

const fileOf = (path: string) => JSON.stringify(pathToFileURL(join(deployDir, path)).href);

/** Returns what a script of this folder exports. */
function exported(path: string, name: string): string[] {
  const script = `import { ${name} } from ${fileOf(path)}; console.log(JSON.stringify(${name}))`;
  return JSON.parse(execFileSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" }));
}

const compose = () => {
  const { services } = parse(readFileSync(join(deployDir, "compose.yaml"), "utf8"), { merge: true });
  const names = Object.keys(services);
  return (setting: string) => names.filter((name) => services[name].environment?.[setting] !== undefined);
};

/** Returns the services for which deploy/secrets.sh makes a password. */
function withPassword(prefix: string): string[] {
  const dir = mkdtempSync(join(tmpdir(), "ci-services-"));
  try {
    const names = Object.keys(composeSecrets(join(dir, "env")));
    return names.filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length).toLowerCase());
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

const all: Record<string, () => readonly string[]> = {
  "the folder services/": () => readdirSync(join(deployDir, "../services")),
  "the tests of settings": () => configured,
  "the rights on NATS": () => Object.keys(rights),
  "the certificates of Compose": () => certified,
  "the keys of npm start": () => exported("local/start/service-keys.mjs", "services"),
  "the processes of npm start": () => exported("local/start/parts.mjs", "serviceNames"),
  "deploy/compose.yaml": () => compose()("TLS_CERT"),
  "the volumes of deploy/compose.yaml": () => {
    const { volumes } = parse(readFileSync(join(deployDir, "compose.yaml"), "utf8"), { merge: true }).services
      .certificates;
    const names: string[] = volumes.map((volume: string) => volume.replace(/^tls-(.*):.*/, "$1"));
    return names.filter((name) => !["mongo", "nats", "ca"].includes(name));
  },
  "the passwords of deploy/secrets.sh": () => withPassword("NATS_PASSWORD_"),
};

const stored: Record<string, () => readonly string[]> = {
  "npm start": () => exported("local/start/service-keys.mjs", "storedServices"),
  "deploy/compose.yaml": () => compose()("MONGO_URL").filter((name) => name !== "backup"),
  "the passwords of deploy/secrets.sh": () => withPassword("MONGO_PASSWORD_"),
};

const helm = tool("helm");
if ("reason" in helm) notRun("the services of the chart", helm.reason);
else {
  const urls = (prefix: string) => {
    const [secret] = ofKind(render(helm, helmOptions("minimal")), "Secret").filter(
      ({ stringData }) => stringData.MONGO_URL,
    );
    const names = Object.keys(secret.stringData).filter((name) => name.startsWith(prefix));
    return names.map((name) => name.slice(prefix.length).toLowerCase());
  };
  all["the chart"] = () => urls("NATS_URL_");
  stored["the chart"] = () => urls("MONGO_URL_");
}

it.each(Object.keys(all))("%s has the services of the proto", (place) => {
  expect([...all[place]!()].sort()).toEqual([...serviceNames].sort());
});

it.each(Object.keys(stored))("%s has the services with a database that the kit has", (place) => {
  expect([...stored[place]!()].sort()).toEqual([...storedServices].sort());
});
