import { notRun } from "@ci/testkit/not-run";
import { helmOptions, ofKind, partOf, type Rendered, render, template, tool } from "./_chart.js";

const helm = tool("helm");

function checks() {
  const rendered = (values: Record<string, unknown>) =>
    render(helm, helmOptions("minimal", { "backup.enabled": true, ...values }));
  const podOf = (all: readonly Rendered[]) => ofKind(all, "CronJob")[0].spec.jobTemplate.spec.template;
  const claim = { persistentVolumeClaim: { claimName: "mine" } };

  it("makes no backups unless the values say so", () => {
    const all = render(helm, helmOptions("minimal"));
    expect(ofKind(all, "CronJob", "PersistentVolumeClaim")).toEqual([]);
    expect(ofKind(all, "NetworkPolicy").filter(({ metadata }) => partOf(metadata.labels) === "backup")).toEqual([]);
  });

  it("backs up every database, one backup at a time, and leaves the claim that it makes", () => {
    const all = rendered({ "backup.storage": "9Gi", "backup.keep": 3, "builds.settings": { MONGO_DB: "mine" } });
    const [made] = ofKind(all, "PersistentVolumeClaim");
    expect(made.metadata.annotations).toEqual({ "helm.sh/resource-policy": "keep" });
    expect(made.spec.resources.requests.storage).toBe("9Gi");
    const [{ spec }] = ofKind(all, "CronJob");
    expect(spec).toMatchObject({ concurrencyPolicy: "Forbid", timeZone: "Etc/UTC", schedule: "30 2 * * *" });
    const { containers, volumes } = podOf(all).spec;
    expect(containers[0].args.slice(1)).toEqual(["backup", "/backups", "--keep", "3", "--database", "builds=mine"]);
    expect(volumes).toContainEqual({ name: "backups", persistentVolumeClaim: { claimName: made.metadata.name } });
  });

  it("gives the pod of a backup no rights, no key and no identity of a service", () => {
    const { spec } = podOf(rendered({ "backup.volume": claim }));
    expect(spec).toMatchObject({
      automountServiceAccountToken: false,
      restartPolicy: "Never",
      securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
    });
    const [{ env, securityContext, resources }] = spec.containers;
    expect(securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    });
    expect(resources).toMatchObject({
      requests: { memory: expect.any(String) },
      limits: { memory: expect.any(String) },
    });
    expect(env.map(({ name }: Rendered) => name)).toEqual(["MONGO_URL"]);
    const tls = { secretName: "shop-service-ci-mongodb-tls", items: [{ key: "ca.crt", path: "ca.crt" }] };
    expect(spec.volumes).toEqual([
      { name: "backups", ...claim },
      { name: "tls", secret: tls },
    ]);
  });

  it("opens no port to monitoring, and connects to no collector of traces", () => {
    const tracing = { endpoint: "http://collector:4318", egress: { to: [], port: 4318 } };
    const all = rendered({
      ...{ "backup.volume": claim, "networkPolicy.metricsFrom": [{ namespaceSelector: {} }] },
      tracing,
    });
    const { spec } = ofKind(all, "NetworkPolicy").find(({ metadata }) => partOf(metadata.labels) === "backup");
    expect(spec.ingress).toEqual([]);
    const ports = spec.egress.flatMap((rule: Rendered) => rule.ports.map(({ port }: Rendered) => port));
    expect(ports).toEqual([27017, 53, 53]);
    expect(podOf(all).metadata.labels).toMatchObject(spec.podSelector.matchLabels);
  });

  it("backs up an external MongoDB as a user with read access to every database", () => {
    const own = (perService: boolean, values: Record<string, unknown> = {}) => ({
      "mongodb.bundled": false,
      "mongodb.urlSecret": { name: "services", key: "URL", perService },
      "mongodb.egress": { to: [], port: 27018 },
      "backup.volume": claim,
      ...values,
    });
    const of = (values: Record<string, unknown>) => {
      const all = rendered(values);
      const { spec } = ofKind(all, "NetworkPolicy").find(({ metadata }) => partOf(metadata.labels) === "backup");
      const { env, volumeMounts } = podOf(all).spec.containers[0];
      return [env[0].valueFrom.secretKeyRef, spec.egress[0], volumeMounts.length];
    };
    const egress = { ports: [{ port: 27018 }] };
    expect(of(own(false))).toEqual([{ name: "services", key: "URL" }, egress, 1]);
    const named = own(true, { "backup.urlSecret": { name: "reader", key: "URL" } });
    expect(of(named)).toEqual([{ name: "reader", key: "URL" }, egress, 1]);
    const options = (values: Record<string, unknown>) => helmOptions("minimal", { "backup.enabled": true, ...values });
    expect(template(helm, options(own(true))).stderr).toContain("backup.urlSecret.name is required");
    expect(template(helm, options({})).stderr).toContain("backup needs a volume, or the storage of a claim");
  });
}

if ("reason" in helm) notRun("the backups of the chart", helm.reason);
else describe("the chart", checks);
