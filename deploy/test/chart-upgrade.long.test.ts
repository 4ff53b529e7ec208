import { execFile } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { storedServices } from "@ci/kit/mongo/users";
import { serviceNamed } from "@ci/kit/rpc/certificates";
import { notRun } from "@ci/testkit/not-run";
import { parseAllDocuments } from "yaml";
import { containersOf, helmOptions, ofKind, oldest, partOf, type Rendered, tool } from "./_chart.js";
import { cluster, type LiveWorkloads, type StoredSecret } from "./_cluster.js";
import { deployDir } from "./_compose.js";
import { services } from "./_settings.js";

const helm = tool("helm");

function checks() {
  const dir = mkdtempSync(join(tmpdir(), "ci-cluster-"));
  afterAll(() => rmSync(dir, { recursive: true, force: true }));

  /** Returns what an installation or upgrade renders, in a cluster with these Secrets and workloads. */
  async function renderOn(before: readonly StoredSecret[], values = {}, live?: LiveWorkloads): Promise<Rendered[]> {
    if ("reason" in helm) throw new Error(helm.reason);
    using api = await cluster(before, live);
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
    return parseAllDocuments(stdout)
      .map((document) => document.toJS())
      .filter(Boolean);
  }

  const secretsOn = async (before: readonly StoredSecret[] = [], values = {}) =>
    ofKind(await renderOn(before, values), "Secret");

  /** Returns the Secret with the passwords and keys. */
  const secretOn = async (before?: StoredSecret, values = {}): Promise<Rendered> =>
    (await secretsOn(before && [before], values)).find(({ metadata }) => metadata.name.endsWith("-secrets"));

  const certificatesOn = async (before: readonly StoredSecret[] = []): Promise<StoredSecret[]> =>
    (await secretsOn(before))
      .filter(({ type }) => type === "kubernetes.io/tls")
      .map(({ metadata: { name }, stringData }) => ({ name, stringData }));

  it("generates new secrets for each installation", async () => {
    const [first, second] = [await secretOn(), await secretOn()];
    for (const name of Object.keys(first.stringData)) expect(first.stringData[name]).not.toBe(second.stringData[name]);
    expect(first.stringData.SECRET_KEYS).toMatch(/^first:[A-Za-z0-9+/]{43}=$/);
  });

  const certificateIn = ({ stringData }: StoredSecret) => new X509Certificate(stringData["tls.crt"]!);
  const authoritiesIn = ({ stringData }: StoredSecret) =>
    stringData["ca.crt"]!.match(/-----BEGIN.*?-----END CERTIFICATE-----/gs)!;
  const isTrustedBy = (one: StoredSecret, other: StoredSecret) =>
    authoritiesIn(other).some((pem) => {
      const authority = new X509Certificate(pem);
      return certificateIn(one).checkIssued(authority) && certificateIn(one).verify(authority.publicKey);
    });

  it("gives each service a certificate with its name, and keeps the certificates in upgrades", async () => {
    const created = await certificatesOn();
    const named = created.map((secret) => serviceNamed(certificateIn(secret).subjectAltName));
    expect(named.filter((name) => name !== undefined).sort()).toEqual([...services].sort());
    for (const one of created) for (const other of created) expect(isTrustedBy(one, other)).toBe(true);
    expect(await certificatesOn(created)).toEqual(created);
  });

  it("gives MongoDB and NATS certificates with the host names in the services' URLs, and none to servers of your own", async () => {
    const all = await secretsOn([], { "mongodb.replicas": 3 });
    const certificateOf = (part: string) =>
      certificateIn(all.find(({ metadata }) => metadata.name === `shop-service-ci-${part}-tls`));
    const { stringData } = all.find(({ metadata }) => metadata.name.endsWith("-secrets"));
    const [, hosts] = /@(.*)\/\?/.exec(stringData.MONGO_URL_BUILDS)!;
    for (const host of hosts!.split(",")) expect(certificateOf("mongodb").checkHost(host.split(":")[0]!)).toBeDefined();
    expect(hosts!.split(",")).toHaveLength(3);
    expect(certificateOf("nats").checkHost(new URL(stringData.NATS_URL_BUILDS).hostname)).toBeDefined();
    for (const part of ["mongodb", "nats"]) {
      expect(certificateOf(part).checkIP("127.0.0.1")).toBeDefined();
      expect(serviceNamed(certificateOf(part).subjectAltName)).toBeUndefined();
    }
    const own = { urlSecret: { name: "mine", key: "url", perService: false }, bundled: false };
    const without = await secretsOn([], { mongodb: own, nats: own });
    expect(without.filter(({ type }) => type === "kubernetes.io/tls")).toHaveLength(services.length);
  });

  it("keeps the services' certificates when it adds those of MongoDB and NATS, and all trust both authorities", async () => {
    const created = await certificatesOn();
    const isServer = ({ name }: StoredSecret) => /-(mongodb|nats)-tls$/.test(name);
    const upgraded = await certificatesOn(created.filter((secret) => !isServer(secret)));
    for (const [index, secret] of upgraded.entries()) {
      const isKept = secret.stringData["tls.crt"] === created[index]!.stringData["tls.crt"];
      expect([secret.name, isKept]).toEqual([secret.name, !isServer(secret)]);
      expect(authoritiesIn(secret)).toHaveLength(2);
      for (const other of upgraded) expect(isTrustedBy(secret, other)).toBe(true);
    }
    expect(await certificatesOn(upgraded)).toEqual(upgraded);
  });

  it("makes certificates with a single new authority if all are missing", async () => {
    const [created, renewed] = [await certificatesOn(), await certificatesOn()];
    expect(authoritiesIn(renewed[0]!)).toHaveLength(1);
    expect(authoritiesIn(renewed[0]!)).not.toEqual(authoritiesIn(created[0]!));
  });

  it("keeps the secrets in upgrades, and when the release is uninstalled", async () => {
    const { metadata, stringData } = await secretOn();
    const after = await secretOn({ name: metadata.name, stringData });
    expect(after.stringData).toEqual(stringData);
    expect(after.metadata.annotations).toEqual({ "helm.sh/resource-policy": "keep" });
  });

  it("gives each service users of NATS and MongoDB when it upgrades an installation with one user", async () => {
    const { metadata, stringData } = await secretOn();
    const isOld = (name: string) => !/^(NATS|MONGO)_(URL|PASSWORD)_/.test(name);
    const before = Object.fromEntries(Object.entries<string>(stringData).filter(([name]) => isOld(name)));
    const after = (await secretOn({ name: metadata.name, stringData: before })).stringData;
    expect(after).toMatchObject(before);
    const passwords = [
      ...services.map((name) => after[`NATS_PASSWORD_${name.toUpperCase()}`]),
      ...storedServices.map((name) => after[`MONGO_PASSWORD_${name.toUpperCase()}`]),
    ];
    expect(new Set([...passwords, after.NATS_PASSWORD, after.MONGO_PASSWORD]).size).toBe(
      services.length + storedServices.length + 2,
    );
    expect(after.NATS_URL_BUILDS).toBe(
      `tls://builds:${after.NATS_PASSWORD_BUILDS}@shop-service-ci-nats:4222/?tlsCAFile=/tls/ca.crt`,
    );
    expect(after.MONGO_URL_BUILDS).toContain(`mongodb://ci_builds:${after.MONGO_PASSWORD_BUILDS}@`);
  });

  it("keeps a second key that an operator has added, and lists new MongoDB members in MONGO_URL", async () => {
    const { metadata, stringData } = await secretOn();
    const SECRET_KEYS = `second:${Buffer.alloc(32).toString("base64")},${stringData.SECRET_KEYS}`;
    const before = { name: metadata.name, stringData: { ...stringData, SECRET_KEYS } };
    const after = await secretOn(before, { "mongodb.replicas": 3 });
    const isUrl = (name: string) => /^MONGO_URL(_|$)/.test(name);
    const unchanged = (all: Record<string, string>) => Object.entries(all).filter(([name]) => !isUrl(name));
    expect(unchanged(after.stringData)).toEqual(unchanged(before.stringData));
    expect(after.stringData.MONGO_URL).toContain(`ci:${stringData.MONGO_PASSWORD}@`);
    const urls = Object.keys(after.stringData).filter(isUrl);
    expect(urls).toHaveLength(storedServices.length + 1);
    for (const name of urls) expect(after.stringData[name].match(/:27017/g)).toHaveLength(3);
  });

  const membersOf = (replicas: number) => ({ "statefulsets/shop-service-ci-mongodb": { replicas } });

  const preparing = (all: readonly Rendered[]) =>
    all.filter(({ metadata }) => metadata.annotations?.["helm.sh/hook"] === "pre-upgrade");

  it("takes the votes of MongoDB's members before it removes them", async () => {
    const marks = { labels: { team: "db" }, annotations: { "linkerd.io/inject": "disabled" } };
    const values = { mongodb: { replicas: 3, ...marks }, "networkPolicy.enabled": true };
    const all = preparing(await renderOn([], values, membersOf(5)));
    const isJob = ({ kind }: Rendered) => kind === "Job";
    const orderOf = ({ metadata }: Rendered) => Number(metadata.annotations["helm.sh/hook-weight"]);
    const [job] = all.filter(isJob);
    const policies = all.filter((object) => !isJob(object));
    expect(policies.map(({ kind, spec }) => [kind, spec.policyTypes])).toEqual([
      ["NetworkPolicy", ["Ingress", "Egress"]],
      ["NetworkPolicy", ["Ingress"]],
    ]);
    const { labels, annotations } = job.spec.template.metadata;
    expect({ labels, annotations }).toMatchObject(marks);
    const [own, members] = policies.map(({ spec }) => spec);
    expect(labels).toMatchObject(own.podSelector.matchLabels);
    expect(own.egress[0].to[0].podSelector).toEqual(members.podSelector);
    expect(labels).toMatchObject(members.ingress[0].from[0].podSelector.matchLabels);
    for (const policy of policies) expect(orderOf(policy)).toBeLessThan(orderOf(job));
    const [{ args, env }] = containersOf(job);
    expect(args).toEqual(["/app/mongo.cjs", "shrink", "/tls", "3"]);
    // One that is to leave may be the primary.
    expect(env[0].value.split(",")).toHaveLength(5);
  });

  it.each([
    [1, {}],
    [1, { "mongodb.replicas": 3 }],
    [3, { "mongodb.replicas": 3 }],
    [3, { "mongodb.bundled": false, "mongodb.urlSecret.name": "mine" }],
  ])("with %p members of MongoDB, has nothing to prepare for %p", async (members, values) => {
    expect(preparing(await renderOn([], values, membersOf(members)))).toEqual([]);
  });

  it.each(["mongodb", "nats"])(
    "rejects an upgrade that would change the volumes of %s, before anything changes",
    async (name) => {
      const claim = {
        accessModes: ["ReadWriteOnce"],
        resources: { requests: { storage: "50Gi" } },
        storageClassName: "fast",
      };
      const live = {
        [`statefulsets/shop-service-ci-${name}`]: { replicas: 1, volumeClaimTemplates: [{ spec: claim }] },
      };
      const upgradeTo = (storage: string, storageClass: string) =>
        renderOn([], { [`${name}.storage`]: storage, [`${name}.storageClass`]: storageClass }, live);
      for (const [storage, storageClass] of [
        ["100Gi", "fast"],
        ["50Gi", ""],
      ] as const)
        await expect(upgradeTo(storage, storageClass)).rejects.toThrow(
          `delete statefulset shop-service-ci-${name} --cascade=orphan`,
        );
      expect(ofKind(await upgradeTo("51200Mi", "fast"), "StatefulSet")).toHaveLength(3);
    },
  );

  it.each([
    [999, 20_000],
    [undefined, 999],
    [999, null],
  ])("rejects an upgrade from user %s to %s, whose files mongod could not open", async (is, wanted) => {
    const template = { spec: { securityContext: { runAsNonRoot: true, runAsUser: is } } };
    const live = { "statefulsets/shop-service-ci-mongodb": { replicas: 1, template } };
    const upgradeTo = (user: number | null) => renderOn([], { "runAsUser.mongodb": user }, live);
    await expect(upgradeTo(wanted)).rejects.toThrow(`but runAsUser.mongodb is ${wanted}. An upgrade cannot change it`);
    expect(ofKind(await upgradeTo(is ?? null), "StatefulSet")).toHaveLength(3);
  });

  it("rejects an upgrade that would change the claim of backups, unless an operator has enlarged it", async () => {
    const spec = { resources: { requests: { storage: "50Gi" } }, storageClassName: "fast" };
    const upgradeTo = (backup: object) =>
      renderOn([], { backup: { enabled: true, ...backup } }, { "persistentvolumeclaims/shop-service-ci-backup": spec });
    for (const backup of [{ storage: "60Gi" }, { storage: "50Gi", storageClass: "slow" }])
      await expect(upgradeTo(backup)).rejects.toThrow('has storage 50Gi and storageClass "fast", but backup has');
    for (const backup of [{ storage: "51200Mi", storageClass: "fast" }, { storage: "50Gi" }])
      expect(ofKind(await upgradeTo(backup), "PersistentVolumeClaim")).toHaveLength(1);
  });

  it("lets a corrected upgrade replace a broken pod of NATS, unless the live set forbids it", async () => {
    const policyOn = async (live?: LiveWorkloads) => {
      const sets = ofKind(await renderOn([], {}, live), "StatefulSet");
      return sets.find(({ metadata }) => partOf(metadata.labels) === "nats").spec.podManagementPolicy;
    };
    expect(await policyOn()).toBe("Parallel");
    const live = { "statefulsets/shop-service-ci-nats": { replicas: 1, podManagementPolicy: "OrderedReady" } };
    expect(await policyOn(live)).toBe("OrderedReady");
  });

  it("rejects a new volume of NATS that is too small for the events' stream, but not one that exists", async () => {
    const claim = { resources: { requests: { storage: "2Gi" } } };
    const live = { "statefulsets/shop-service-ci-nats": { replicas: 1, volumeClaimTemplates: [{ spec: claim }] } };
    const storage = { "nats.storage": "2Gi" };
    await expect(renderOn([], storage)).rejects.toThrow("nats.storage is 2Gi, but must be at least 3Gi");
    expect(ofKind(await renderOn([], { "nats.storage": "3Gi" }), "StatefulSet")).toHaveLength(3);
    expect(ofKind(await renderOn([], storage, live), "StatefulSet")).toHaveLength(3);
  });

  it("keeps the number of pods when autoscaling is turned on", async () => {
    const live = {
      "deployments/shop-service-ci-gateway": { replicas: 5 },
      "statefulsets/shop-service-ci-runner": { replicas: 7 },
    };
    const replicasOn = async (workloads: LiveWorkloads, enabled: boolean) => {
      const scaled = Object.fromEntries(["gateway", "runner"].map((name) => [`${name}.autoscaling.enabled`, enabled]));
      const all = ofKind(await renderOn([], scaled, workloads), "Deployment", "StatefulSet");
      const of = (part: string) => all.find(({ metadata }) => partOf(metadata.labels) === part).spec.replicas;
      return [of("gateway"), of("runner"), of("builds")];
    };
    expect(await replicasOn(live, true)).toEqual([5, 7, 1]);
    expect(await replicasOn(live, false)).toEqual([1, 1, 1]);
    expect(await replicasOn({}, true)).toEqual([undefined, undefined, 1]);
  });
}

if ("reason" in helm) notRun("upgrades by the chart", helm.reason);
else describe("the chart", checks);
