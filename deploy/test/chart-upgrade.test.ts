import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { notRun } from "@ci/testkit/not-run";
import { parseAllDocuments } from "yaml";
import { helmOptions, oldest, type Rendered, tool } from "./_chart.js";
import { cluster } from "./_cluster.js";
import { deployDir } from "./_compose.js";

const helm = tool("helm");

function checks() {
  const dir = mkdtempSync(join(tmpdir(), "ci-cluster-"));
  afterAll(() => rmSync(dir, { recursive: true, force: true }));

  /** Renders the Secret of an installation or upgrade in a cluster with this Secret or none. */
  async function secretOn(
    before?: { name: string; stringData: Record<string, string> },
    values = {},
  ): Promise<Rendered> {
    if ("reason" in helm) throw new Error(helm.reason);
    using api = await cluster(before);
    const config = {
      apiVersion: "v1",
      kind: "Config",
      "current-context": "it",
      contexts: [{ name: "it", context: { cluster: "it", user: "me" } }],
      clusters: [{ name: "it", cluster: { server: api.url } }],
      users: [{ name: "me", user: {} }],
    };
    writeFileSync(join(dir, "config"), JSON.stringify(config));
    const args = ["template", "shop", join(deployDir, "helm/service-ci"), "--namespace", "ci", "--dry-run=server"];
    const env = { ...process.env, KUBECONFIG: join(dir, "config"), HELM_CACHE_HOME: dir };
    const options = [...args, "--kube-version", oldest, ...helmOptions("minimal", values)];
    const { stdout } = await promisify(execFile)(helm.command[0]!, options, { env, maxBuffer: 64 * 1024 ** 2 });
    const all = parseAllDocuments(stdout).map((document) => document.toJS());
    return all.find((object) => object?.kind === "Secret");
  }

  it("generates new secrets for each installation", async () => {
    const [first, second] = [await secretOn(), await secretOn()];
    for (const name of Object.keys(first.stringData)) expect(first.stringData[name]).not.toBe(second.stringData[name]);
    expect(first.stringData.SECRET_KEYS).toMatch(/^first:[A-Za-z0-9+/]{43}=$/);
  });

  it("keeps the secrets in upgrades, and when the release is uninstalled", async () => {
    const { metadata, stringData } = await secretOn();
    const after = await secretOn({ name: metadata.name, stringData });
    expect(after.stringData).toEqual(stringData);
    expect(after.metadata.annotations).toEqual({ "helm.sh/resource-policy": "keep" });
  });

  it("keeps a second key that an operator has added, and lists new MongoDB members in MONGO_URL", async () => {
    const { metadata, stringData } = await secretOn();
    const SECRET_KEYS = `second:${Buffer.alloc(32).toString("base64")},${stringData.SECRET_KEYS}`;
    const before = { name: metadata.name, stringData: { ...stringData, SECRET_KEYS } };
    const after = await secretOn(before, { "mongodb.replicas": 3 });
    const { MONGO_URL, ...unchanged } = after.stringData;
    expect({ ...unchanged, MONGO_URL: stringData.MONGO_URL }).toEqual(before.stringData);
    expect(MONGO_URL).toContain(`ci:${stringData.MONGO_PASSWORD}@`);
    expect(MONGO_URL.match(/:27017/g)).toHaveLength(3);
  });
}

if ("reason" in helm) notRun("upgrades by the chart", helm.reason);
else describe("the chart", checks);
