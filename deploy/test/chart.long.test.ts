import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { storedServices } from "@ci/kit/mongo/users";
import { parseDuration } from "@ci/kit/process/setting-types";
import { notRun } from "@ci/testkit/not-run";
import {
  containersOf,
  environmentOf,
  externalSecrets,
  helmOptions,
  lint,
  ofKind,
  oldest,
  partOf,
  type Rendered,
  render,
  run,
  template,
  tool,
  workloads,
} from "./_chart.js";
import { readBy, services, settingsOf } from "./_settings.js";

const helm = tool("helm");
const validator = tool("validator");
const files = ["minimal", "production", "air-gapped", "openshift"];

/** Kinds that exist only if their operator is installed. */
const foreign = ["Certificate", "HTTPRoute", "PrometheusRule", "ServiceMonitor"];

function checks() {
  const dir = mkdtempSync(join(tmpdir(), "ci-chart-"));
  afterAll(() => rmSync(dir, { recursive: true, force: true }));
  const rendered = Object.fromEntries(files.map((file) => [file, render(helm, helmOptions(file))]));

  it.each(files)("%s passes the linter", (file) => {
    expect(lint(helm, helmOptions(file))).toMatchObject({ status: 0 });
  });

  if ("reason" in validator) notRun("the chart against the schemas of Kubernetes", validator.reason);
  else
    it.each(files.flatMap((file) => [oldest, "1.37"].map((version) => [file, version])))(
      "%s matches the API of Kubernetes %s",
      (file, version) => {
        const path = join(dir, `${file}.yaml`);
        writeFileSync(path, template(helm, helmOptions(file)).stdout);
        const { status, stdout, stderr } = run(validator, ["--strict", "-k", version, path]);
        const unknown = [...`${stdout}${stderr}`.matchAll(/find schema for kind (\w+)/g)].map(([, kind]) => kind);
        expect({ status, unknown: unknown.filter((kind) => !foreign.includes(kind!)) }).toEqual({
          status: 0,
          unknown: [],
        });
      },
    );

  describe.each(files)("%s", (file) => {
    const all = rendered[file]!;
    const ownContainers = services.map((service) => {
      const workload = workloads(all).find(({ metadata }) => partOf(metadata.labels) === service);
      return [service, containersOf(workload).find(({ name }) => name === service)] as [string, Rendered];
    });

    it.each(ownContainers)("sets every variable that %s requires, and no unknown ones", (service, container) => {
      const env = environmentOf(all, container, externalSecrets);
      const ca = join(dir, "ca.crt");
      writeFileSync(ca, "");
      const { names, complaint } = readBy(service, env.CI_EXTRA_CA ? { ...env, CI_EXTRA_CA: ca } : env);
      expect(complaint).toBeUndefined();
      // Node.js reads these.
      const known = new Set([...names, "NODE_EXTRA_CA_CERTS", "NODE_OPTIONS"]);
      expect(Object.keys(env).filter((name) => !known.has(name))).toEqual([]);
      expect(env.NODE_EXTRA_CA_CERTS).toBe(file === "air-gapped" ? "/extra-ca/ca.crt" : undefined);
    });

    it("has no secret in a ConfigMap or a pod", () => {
      const values = ofKind(all, "Secret").flatMap(({ stringData }) => Object.values<string>(stringData));
      const otherObjects = JSON.stringify(all.filter(({ kind }) => kind !== "Secret"));
      expect(values.filter((value) => otherObjects.includes(value))).toEqual([]);
      const named = /TOKEN|PASSWORD|SECRET_KEYS|MONGO_KEY$|MONGO_URL|NATS_URL/;
      const maps = ofKind(all, "ConfigMap").flatMap(({ data }) => Object.keys(data));
      expect(maps.filter((name) => named.test(name))).toEqual([]);
    });

    it("refers only to existing objects", () => {
      const has = (kind: string, name: string) => ofKind(all, kind).some(({ metadata }) => metadata.name === name);
      for (const workload of workloads(all)) {
        const { volumes = [], serviceAccountName } = workload.spec.template.spec;
        const claims = (workload.spec.volumeClaimTemplates ?? []).map(({ metadata }: Rendered) => metadata.name);
        const names = [...volumes.map(({ name }: Rendered) => name), ...claims];
        const secrets = volumes.flatMap(({ secret }: Rendered) => secret?.secretName ?? []);
        if (file === "minimal") for (const name of secrets) expect([name, has("Secret", name)]).toEqual([name, true]);
        for (const { volumeMounts = [], envFrom = [] } of containersOf(workload)) {
          expect(names).toEqual(expect.arrayContaining(volumeMounts.map(({ name }: Rendered) => name)));
          for (const { configMapRef } of envFrom) expect(has("ConfigMap", configMapRef.name)).toBe(true);
        }
        expect(has("ServiceAccount", serviceAccountName)).toBe(true);
      }
      const pods = workloads(all).map(({ spec }) => spec.template.metadata.labels);
      for (const { spec } of ofKind(all, "Service"))
        expect(pods).toContainEqual(expect.objectContaining(spec.selector));
    });
  });

  it.each(services)("accepts every setting of %s that it does not set itself, and no others", (service) => {
    const names = [...settingsOf(service)].filter((name) => !managed.test(name));
    const accepts = (...these: string[]) => {
      const values = Object.fromEntries(these.map((name) => [name, "1"]));
      return lint(helm, helmOptions("minimal", { [`${service}.settings`]: values })).status === 0;
    };
    expect(accepts(...names)).toBe(true);
    expect(accepts("PUBLIC_URL") || accepts("NO_SUCH_SETTING")).toBe(false);
  });

  it("schedules runners with virtual machines on nodes with KVM", () => {
    const runner = (values: Record<string, unknown>) => {
      const all = render(helm, helmOptions("minimal", { "runner.drivers": ["qemu"], ...values }));
      const workload = workloads(all).find(({ metadata }) => partOf(metadata.labels) === "runner");
      const [container, ...otherContainers] = containersOf(workload);
      expect(otherContainers).toEqual([]);
      return {
        ...container,
        settings: environmentOf(all, container, externalSecrets),
        pod: workload.spec.template.spec,
      };
    };
    const plugin = runner({ "runner.kvm.kind": "plugin", "runner.nodeSelector": { kvm: "true" } });
    expect(plugin).toMatchObject({
      image: expect.stringContaining("/runner-qemu:"),
      resources: { limits: { "devices.kubevirt.io/kvm": "1" } },
      securityContext: { capabilities: { drop: ["ALL"] } },
      pod: { nodeSelector: { kvm: "true" } },
      settings: { QEMU_ACCEL: "kvm", RUNNER_DRIVERS: "qemu" },
    });
    const host = runner({ "runner.kvm.kind": "host", "runner.kvm.group": 106 });
    expect(host).toMatchObject({
      volumeMounts: expect.arrayContaining([{ name: "kvm", mountPath: "/dev/kvm" }]),
      pod: { securityContext: { supplementalGroups: [106], runAsNonRoot: true } },
    });
    expect(runner({})).toMatchObject({ settings: { QEMU_ACCEL: "tcg" } });
  });

  it("mounts a volume of base images in the runners' folder for them, only with virtual machines", () => {
    const volume = { persistentVolumeClaim: { claimName: "images", readOnly: true } };
    const baseImages = (drivers: readonly string[]) => {
      const all = render(helm, helmOptions("minimal", { "runner.drivers": drivers, "runner.baseImages": volume }));
      const { spec } = workloads(all).find(({ metadata }) => partOf(metadata.labels) === "runner").spec.template;
      const container = spec.containers[0];
      const { RUNNER_IMAGES_DIR } = environmentOf(all, container, externalSecrets);
      const mounted = container.volumeMounts.find(({ name }: { name: string }) => name === "base-images");
      return { mounted, base: `${RUNNER_IMAGES_DIR}/_base`, volumes: spec.volumes };
    };
    const { mounted, base, volumes } = baseImages(["qemu"]);
    expect(mounted).toEqual({ name: "base-images", mountPath: base, readOnly: true });
    expect(volumes).toContainEqual({ name: "base-images", ...volume });
    const docker = baseImages(["docker"]);
    expect([docker.mounted, JSON.stringify(docker.volumes)]).toEqual([
      undefined,
      expect.not.stringContaining("images"),
    ]);
    expect(lint(helm, helmOptions("minimal", { "runner.baseImages": { name: "x", emptyDir: {} } })).status).not.toBe(0);
  });

  const runnerSettings = (values: Record<string, unknown>) => {
    const all = render(helm, helmOptions("minimal", values));
    return ofKind(all, "ConfigMap").find(({ metadata }) => partOf(metadata.labels) === "runner").data;
  };

  it("writes numbers in settings as they are", () =>
    expect(
      runnerSettings({ "runner.settings": { DOCKER_MEMORY: 2_000_000_000, DOCKER_PIDS: 512, DOCKER_CPUS: 0.5 } }),
    ).toMatchObject({
      ...{ DOCKER_MEMORY: "2000000000", DOCKER_PIDS: "512", DOCKER_CPUS: "0.5" },
    }));

  it("gives runners the engine's own image for the packet filter, unless the values name another one", () => {
    expect(runnerSettings({ "runner.engine.image": "registry.corp.example/docker:1" })).toMatchObject({
      JOB_EGRESS_IMAGE: "registry.corp.example/docker:1",
    });
    expect(runnerSettings({ "runner.settings": { JOB_EGRESS_IMAGE: "tools:1", JOB_EGRESS: "enforce" } })).toMatchObject(
      {
        JOB_EGRESS_IMAGE: "tools:1",
        JOB_EGRESS: "enforce",
      },
    );
  });

  it("makes the bundled servers refuse clients without TLS, and every URL of them trust the installation's authority", () => {
    const all = render(helm, helmOptions("minimal"));
    const mongod = workloads(all).find(({ metadata }) => partOf(metadata.labels) === "mongodb");
    expect(containersOf(mongod).find(({ name }) => name === "mongodb").args).toContain("--tlsMode=requireTLS");
    const config = ofKind(all, "ConfigMap").find(({ data }) => data["nats.conf"]).data["nats.conf"];
    expect(config).toMatch(/^tls \{ cert_file: \/tls\/tls.crt/m);
    const [secret] = ofKind(all, "Secret").filter(({ stringData }) => stringData.SECRET_KEYS);
    const urls = Object.entries<string>(secret.stringData).filter(([name]) => /_URL(_|$)/.test(name));
    expect(urls).toHaveLength(services.length + storedServices.length + 1);
    for (const [name, url] of urls)
      expect(url).toMatch(
        name.startsWith("MONGO") ? /&tls=true&tlsCAFile=\/tls\/ca.crt$/ : /^tls:.*\?tlsCAFile=\/tls\/ca.crt$/,
      );
  });

  it("asks cert-manager for certificates of the bundled servers, and mounts yours if you give them", () => {
    const issuer = { name: "internal", kind: "ClusterIssuer", group: "cert-manager.io" };
    const all = render(helm, helmOptions("minimal", { "tls.kind": "cert-manager", "tls.issuer": issuer }));
    const certificates = ofKind(all, "Certificate").map(({ spec }) => spec);
    expect(certificates).toHaveLength(services.length + 2);
    expect(certificates.filter(({ ipAddresses }) => ipAddresses).map(({ commonName }) => commonName)).toEqual([
      "mongodb",
      "nats",
    ]);
    const given = render(helm, helmOptions("minimal", { "tls.kind": "secret", "tls.secret": "mine" }));
    const mounted = workloads(given).flatMap(({ spec }) =>
      spec.template.spec.volumes.flatMap(({ secret }: Rendered) => secret?.secretName ?? []),
    );
    expect(mounted.sort()).toEqual([...services, "mongodb", "nats"].map((name) => `mine-${name}`).sort());
  });

  it("runs no engine if runners use an external one", () => {
    const engine = { kind: "remote", host: "tcp://engine:2376", tlsSecret: "engine" };
    const all = render(helm, helmOptions("minimal", { "runner.engine": engine }));
    const workload = workloads(all).find(({ metadata }) => partOf(metadata.labels) === "runner");
    const [container, ...otherContainers] = containersOf(workload);
    expect(otherContainers).toEqual([]);
    expect(environmentOf(all, container, externalSecrets)).toMatchObject({
      DOCKER_HOST: "tcp://engine:2376",
      DOCKER_TLS_VERIFY: "1",
      DOCKER_CERT_PATH: "/engine-tls",
    });
    expect(workload.spec.template.spec.volumes).toContainEqual({
      name: "engine-tls",
      secret: { secretName: "engine" },
    });
  });

  it("gives pods more time to stop than their settings allow", () => {
    const all = render(helm, helmOptions("minimal", { "stop.graceSeconds": 600, "runner.drainSeconds": 3600 }));
    for (const workload of workloads(all)) {
      const container = containersOf(workload).find(({ name }) => services.includes(name));
      if (!container) continue;
      const {
        STOP_DELAY = "0s",
        STOP_GRACE = "0s",
        RUNNER_DRAIN = "0s",
      } = environmentOf(all, container, externalSecrets);
      const taken = [STOP_DELAY, STOP_GRACE, RUNNER_DRAIN].reduce((sum, text) => sum + parseDuration(text), 0);
      const { terminationGracePeriodSeconds } = workload.spec.template.spec;
      expect(taken).toBeGreaterThanOrEqual(600_000);
      expect(terminationGracePeriodSeconds * 1_000).toBeGreaterThanOrEqual(taken + 30_000);
    }
    for (const { spec } of ofKind(all, "Deployment"))
      expect(spec.strategy).toEqual({ type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } });
  });

  it("takes the URL of an external server, or one for each service, from the Secret that is named", () => {
    const refOf = (perService: boolean, service: string) => {
      const urlSecret = { name: "mine", key: "url", perService };
      const values = Object.fromEntries(
        ["mongodb", "nats"].flatMap((server) => [
          [`${server}.bundled`, false],
          [`${server}.urlSecret`, urlSecret],
        ]),
      );
      const workload = workloads(render(helm, helmOptions("minimal", values))).find(
        ({ metadata }) => partOf(metadata.labels) === service,
      );
      const { env } = containersOf(workload).find(({ name }) => name === service);
      const refs = env.filter(({ name }: Rendered) => name.endsWith("_URL"));
      return refs.map(({ name, valueFrom }: Rendered) => [name, valueFrom.secretKeyRef]);
    };
    const secret = (key: string) => ({ name: "mine", key });
    expect(refOf(false, "builds")).toEqual([
      ["MONGO_URL", secret("url")],
      ["NATS_URL", secret("url")],
    ]);
    expect(refOf(true, "builds")).toEqual([
      ["MONGO_URL", secret("url_BUILDS")],
      ["NATS_URL", secret("url_BUILDS")],
    ]);
    expect(refOf(true, "runner")).toEqual([["NATS_URL", secret("url_RUNNER")]]);
  });

  it("rejects missing and invalid values by name", () => {
    expect(template(helm, helmOptions("minimal", { publicUrl: "" })).stderr).toContain("publicUrl is required");
    expect(template(helm, helmOptions("minimal", { publicUrl: "ci.example.com" })).status).not.toBe(0);
    const digest = `0.2.0@sha256:${"0".repeat(64)}`;
    expect(template(helm, helmOptions("minimal", { "image.tag": digest })).stderr).toMatch(/image.tag.*pattern/);
    expect(template(helm, helmOptions("minimal", { "nats.bundled": false })).stderr).toContain(
      "its urlSecret must be named",
    );
  });
}

/** Variables that templates, images or other values set, not a service's `settings`. */
const managed =
  /^(LISTEN|ADMIN_LISTEN|TRUSTED_PROXIES|LOG_LEVEL|SUBJECT_PREFIX|MONGO_URL|NATS_URL|\w+_ADDR|TLS_\w+|SERVICE_(KEY|PEERS)|SECRET_KEYS|CI_(ADMIN_TOKEN|ADMIN_USERNAME|ADMIN_EMAIL|GUARD_ALLOW|EXTRA_CA)|PUBLIC_URL|DRIVERS|BUILD_VERSION|RUNNER_(DRIVERS|DRAIN|DIR|NAME|ID)|STOP_(DELAY|GRACE)|DOCKER_(HOST|TLS_VERIFY|CERT_PATH)|RUNNER_IMAGES_DIR|QEMU_ACCEL|QEMU_UID|OS_\w+|PATH|WEB_DIR|OIDC_CLIENT_SECRET)$/;

if ("reason" in helm) notRun("the chart", helm.reason);
else describe("the chart", checks);
