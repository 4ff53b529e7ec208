import { notRun } from "@ci/testkit/not-run";
import { containersOf, helmOptions, ofKind, partOf, type Rendered, render, tool, workloads } from "./_chart.js";

const helm = tool("helm");

/** The complete list of allowed connections. */
const arrows = [
  "builds -> mongodb:27017",
  "builds -> namespaces:8080",
  "builds -> nats:4222",
  "gateway -> builds:8080",
  "gateway -> images:8080",
  "gateway -> namespaces:8080",
  "gateway -> nats:4222",
  "gateway -> webhooks:8080",
  "images -> mongodb:27017",
  "images -> namespaces:8080",
  "images -> nats:4222",
  "mongodb -> mongodb:27017",
  "namespaces -> mongodb:27017",
  "namespaces -> nats:4222",
  "runner -> builds:8080",
  "runner -> nats:4222",
  "test -> gateway:8080",
  "webhooks -> builds:8080",
  "webhooks -> mongodb:27017",
  "webhooks -> namespaces:8080",
  "webhooks -> nats:4222",
];

const policies = (all: readonly Rendered[]) =>
  ofKind(all, "NetworkPolicy")
    .filter(({ spec }) => spec.podSelector.matchLabels["app.kubernetes.io/component"])
    .map(({ spec }) => ({ ...spec, part: partOf(spec.podSelector.matchLabels) }));

/** Returns the connections that rules allow in one direction: each peer of this release with each port. */
const arrowsOf = (rules: Rendered[], side: "from" | "to", arrow: (peer: string, port: number) => string) =>
  rules.flatMap((rule) =>
    (rule[side] ?? [])
      .filter(({ podSelector }: Rendered) => podSelector?.matchLabels["app.kubernetes.io/instance"])
      .flatMap(({ podSelector }: Rendered) =>
        rule.ports.map(({ port }: Rendered) => arrow(partOf(podSelector.matchLabels), port)),
      ),
  );

/** Returns the rules for peers outside of the release, by part. */
const rulesOutside = (
  all: readonly Rendered[],
  direction: "ingress" | "egress",
  side: "from" | "to",
): Record<string, Rendered> =>
  Object.fromEntries(
    policies(all).map((policy) => [
      policy.part,
      policy[direction].filter((rule: Rendered) => !rule[side]?.some(({ podSelector }: Rendered) => podSelector)),
    ]),
  );

function checks() {
  const minimal = render(helm, helmOptions("minimal"));
  const production = render(helm, helmOptions("production"));
  const bothEnds = (file: "minimal" | "air-gapped") => {
    const all = policies(render(helm, helmOptions(file)));
    const outgoing = all.flatMap(({ part, egress }) =>
      arrowsOf(egress, "to", (peer, port) => `${part} -> ${peer}:${port}`),
    );
    const incoming = all.flatMap(({ part, ingress }) =>
      arrowsOf(ingress, "from", (peer, port) => `${peer} -> ${part}:${port}`),
    );
    return { outgoing: outgoing.sort(), incoming: incoming.sort() };
  };

  it.each(["minimal", "air-gapped"] as const)(
    "%s allows exactly the connections of the table, at both ends",
    (file) => {
      // Only runners with virtual machines read images. Only the second one has backups.
      const more = file === "air-gapped" ? ["runner -> images:8080", "backup -> mongodb:27017"] : [];
      const expected = [...arrows, ...more].sort();
      expect(bothEnds(file)).toEqual({ outgoing: expected, incoming: expected });
    },
  );

  it("allows every connection for which a service has an address", () => {
    const calls = ofKind(minimal, "ConfigMap").flatMap(({ metadata, data }) =>
      Object.entries<string>(data)
        .filter(([name]) => name.endsWith("_ADDR"))
        .map(([name, address]) => {
          const [host, port] = address.split(":");
          expect(ofKind(minimal, "Service").map((service) => service.metadata.name)).toContain(host);
          return `${partOf(metadata.labels)} -> ${name.toLowerCase().replace("_addr", "")}:${port}`;
        }),
    );
    expect(calls.sort()).toEqual(arrows.filter((arrow) => !/mongodb|nats|test/.test(arrow)));
  });

  it("denies all other connections to every pod of the release", () => {
    const [nothing] = ofKind(minimal, "NetworkPolicy").filter(({ metadata }) => metadata.name.endsWith("-nothing"));
    expect(nothing.spec).toMatchObject({ policyTypes: ["Ingress", "Egress"] });
    expect(nothing.spec).not.toHaveProperty("ingress");
    expect(nothing.spec).not.toHaveProperty("egress");
    for (const workload of workloads(minimal)) {
      const { labels } = workload.spec.template.metadata;
      expect(labels).toMatchObject(nothing.spec.podSelector.matchLabels);
      expect(policies(minimal).map(({ part }) => part)).toContain(partOf(labels));
    }
  });

  it("lets only services that need it connect to the internet, and none to the rest of the cluster", () => {
    const outgoing = rulesOutside(minimal, "egress", "to");
    const outsideAccess = Object.keys(outgoing).filter((part) => JSON.stringify(outgoing[part]).includes("0.0.0.0/0"));
    expect(outsideAccess.sort()).toEqual(["builds", "images", "runner", "webhooks"]);
    for (const part of outsideAccess) {
      const [{ ipBlock }] = outgoing[part].find(({ to }: Rendered) => to?.[0].ipBlock).to;
      expect(ipBlock.except).toEqual(expect.arrayContaining(["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"]));
    }
  });

  it("lets every pod connect to port 53 of the DNS servers, and to no other port", () => {
    const outgoing = rulesOutside(minimal, "egress", "to");
    const ports = Object.values(outgoing).flatMap((rules: Rendered[]) =>
      rules.filter(({ to }: Rendered) => to?.[0].namespaceSelector).flatMap(({ ports }: Rendered) => ports),
    );
    expect(new Set(ports.map(({ port }: Rendered) => port))).toEqual(new Set([53]));
    expect(ports).toHaveLength(2 * (policies(minimal).length - 1));
  });

  it("lets pods connect to the port on which the DNS servers of OpenShift listen", () => {
    const { gateway } = rulesOutside(render(helm, helmOptions("openshift")), "egress", "to");
    const { ports } = gateway.find(({ to }: Rendered) => to?.[0].namespaceSelector);
    expect(ports).toEqual([53, 5353].flatMap((port) => ["UDP", "TCP"].map((protocol) => ({ port, protocol }))));
  });

  it("tests an installation at the path of its URL, in a confined pod whose log stays", () => {
    const values = { publicUrl: "https://ci.example.com/api/", "runner.drivers": ["docker", "qemu"] };
    const [{ metadata, spec }] = ofKind(render(helm, helmOptions("minimal", values)), "Pod");
    expect(spec.containers[0]).toMatchObject({
      args: ["/app/try.cjs", "http://shop-service-ci-gateway:8080/api", "docker", "qemu"],
      securityContext: { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true },
    });
    expect(spec).toMatchObject({ automountServiceAccountToken: false, securityContext: { runAsNonRoot: true } });
    expect(metadata.annotations).toMatchObject({
      "helm.sh/hook": "test",
      "helm.sh/hook-delete-policy": "before-hook-creation",
    });
  });

  it("opens the API to its clients, and the admin ports to monitoring", () => {
    const peer = (name: string) => ({ namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": name } } });
    const api = (all: Rendered[]) => rulesOutside(all, "ingress", "from").gateway;
    expect(api(minimal)).toEqual([{ ports: [{ port: 8080 }] }]);
    expect(api(production)).toContainEqual({ from: [peer("ingress-nginx")], ports: [{ port: 8080 }] });
    for (const { part, ingress } of policies(production).filter(({ part }) => part !== "test"))
      expect([part, ingress]).toEqual([
        part,
        expect.arrayContaining([{ from: [peer("monitoring")], ports: [{ port: 9090 }] }]),
      ]);
  });

  it("allows connections to external MongoDB and NATS", () => {
    const outgoing = rulesOutside(production, "egress", "to");
    const ports = (part: string) =>
      outgoing[part].flatMap((rule: Rendered) => rule.ports ?? []).map(({ port }: Rendered) => port);
    expect(ports("builds")).toEqual(expect.arrayContaining([27017, 4222]));
    expect(ports("gateway")).toContain(4222);
    expect(ports("gateway")).not.toContain(27017);
  });

  it("air-gapped enforces the packet filter, with an image of the internal registry", () => {
    const all = render(helm, helmOptions("air-gapped"));
    const { data } = ofKind(all, "ConfigMap").find(({ metadata }) => partOf(metadata.labels) === "runner");
    expect(data).toMatchObject({
      JOB_EGRESS: "enforce",
      JOB_EGRESS_IMAGE: expect.stringMatching(/^registry\.corp\.example\//),
      CI_GUARD_ALLOW: expect.stringContaining("registry.corp.example"),
      CI_EXTRA_CA: expect.any(String),
    });
  });

  it.each(["minimal", "production", "air-gapped"])(
    "%s runs every container except the engine without privileges",
    (file) => {
      for (const workload of workloads(render(helm, helmOptions(file)))) {
        const { spec } = workload.spec.template;
        expect(spec).toMatchObject({
          automountServiceAccountToken: false,
          securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
        });
        for (const { name, securityContext, resources } of containersOf(workload)) {
          expect(resources.requests).toEqual({ cpu: expect.any(String), memory: expect.any(String) });
          if (name !== "engine")
            expect(securityContext).toEqual({
              allowPrivilegeEscalation: false,
              readOnlyRootFilesystem: true,
              capabilities: { drop: ["ALL"] },
            });
        }
      }
    },
  );
}

if ("reason" in helm) notRun("the network policies of the chart", helm.reason);
else describe("the chart", checks);
