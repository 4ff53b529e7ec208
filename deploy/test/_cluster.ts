import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const resourceOf = (kind: string) => {
  const singularName = kind.toLowerCase();
  return { name: `${singularName}s`, singularName, namespaced: true, kind, verbs: ["get"] };
};

const lists: Readonly<Record<string, unknown>> = {
  "/version": { major: "1", minor: "29", gitVersion: "v1.29.0" },
  "/api": { kind: "APIVersions", versions: ["v1"] },
  "/apis": {
    kind: "APIGroupList",
    apiVersion: "v1",
    groups: [{ name: "apps", versions: [{ groupVersion: "apps/v1", version: "v1" }] }],
  },
  "/api/v1": {
    kind: "APIResourceList",
    groupVersion: "v1",
    resources: ["Secret", "PersistentVolumeClaim"].map(resourceOf),
  },
  "/apis/apps/v1": {
    kind: "APIResourceList",
    groupVersion: "apps/v1",
    resources: ["Deployment", "StatefulSet"].map(resourceOf),
  },
};

export interface StoredSecret {
  readonly name: string;
  readonly stringData: Readonly<Record<string, string>>;
}

const asObject = ({ name, stringData }: StoredSecret) => ({
  ...{ apiVersion: "v1", kind: "Secret", metadata: { name } },
  data: Object.fromEntries(
    Object.entries(stringData).map(([key, text]) => [key, Buffer.from(text).toString("base64")]),
  ),
});

/** Specs of workloads and claims, by a key such as `statefulsets/shop-service-ci-nats`. */
export type LiveWorkloads = Readonly<Record<string, object>>;

const asWorkload = ([key, spec]: [string, object]) => {
  const [kinds, name] = key.split("/") as [string, string];
  const kind = { deployments: "Deployment", statefulsets: "StatefulSet" }[kinds];
  if (!kind) return { apiVersion: "v1", kind: "PersistentVolumeClaim", metadata: { name }, spec };
  return { apiVersion: "apps/v1", kind, metadata: { name }, spec };
};

/** Starts the part of a Kubernetes API server that Helm's lookups need, with these Secrets and workloads. */
export async function cluster(secrets: readonly StoredSecret[], live: LiveWorkloads = {}) {
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? "", "http://x").pathname;
    const secret = secrets.find(({ name }) => path.endsWith(`/secrets/${name}`));
    const workload = Object.entries(live).find(([key]) => path.endsWith(`/${key}`));
    const found = lists[path] ?? (secret && asObject(secret)) ?? (workload && asWorkload(workload));
    const status = { kind: "Status", apiVersion: "v1", status: "Failure", reason: "NotFound", code: 404 };
    response.writeHead(found ? 200 : 404, { "Content-Type": "application/json" }).end(JSON.stringify(found ?? status));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.dispose]: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
