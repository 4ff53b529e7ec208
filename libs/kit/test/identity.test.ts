import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Authority, newAuthority } from "@ci/certificates/authority";
import { AccountServiceDefinition, type AccountServiceImplementation } from "@ci/proto/namespaces/v1/accounts";
import { eventually } from "@ci/testkit/eventually";
import { ChannelCredentials } from "@grpc/grpc-js";
import { createLog } from "../src/process/log.js";
import { metrics } from "../src/process/metrics.js";
import { runAs } from "../src/rpc/caller.js";
import type { ServiceName } from "../src/rpc/callers.js";
import { certificateFiles } from "../src/rpc/certificates.js";
import { connect } from "../src/rpc/connect.js";
import { asFault } from "../src/rpc/fault.js";
import { type Identity, openIdentity } from "../src/rpc/identity.js";
import { serveRpc } from "../src/rpc/serve.js";
import type { Call } from "../src/rpc/served-call.js";

const log = createLog("test", "silent");
const readEveryMs = 20;
const dir = mkdtempSync(join(tmpdir(), "ci-identity-"));
afterAll(() => rmSync(dir, { recursive: true }));

const { getUser, listUsers } = AccountServiceDefinition.methods;
/** The gateway may call both, the builds service getUser only, the runner neither. */
const definition = { ...AccountServiceDefinition, methods: { getUser, listUsers } } as const;
const user = { id: 1, email: "a@b", username: "a", admin: false, createdAt: new Date(0) };
const calls: Pick<Call, "caller" | "service">[] = [];
const answers: Pick<AccountServiceImplementation<Call>, "getUser" | "listUsers"> = {
  async getUser(_request, { caller, service }) {
    calls.push({ caller, service });
    return { user };
  },
  listUsers: async () => ({ users: [] }),
};

const serve = (identity: Identity) =>
  serveRpc({ listen: "127.0.0.1:0", log, identity }, (server) => server.add(definition, answers));

interface Files {
  readonly tls: { readonly cert: string; readonly key: string; readonly ca: string };
  write(authority: Authority, trusted?: readonly Authority[], names?: readonly string[]): Promise<void>;
}

let made = 0;
/** Returns the paths of a service's certificate files, and a function that writes the files. */
function filesOf(service: ServiceName): Files {
  const own = join(dir, `${++made}`);
  mkdirSync(own);
  const tls = { cert: join(own, "tls.crt"), key: join(own, "tls.key"), ca: join(own, "ca.crt") };
  return {
    tls,
    async write(authority, trusted = [authority], names = [service, "127.0.0.1"]) {
      const { cert, key } = await authority.sign(names, 1);
      writeFileSync(tls.ca, trusted.map(({ ca }) => ca).join(""));
      writeFileSync(tls.cert, cert);
      writeFileSync(tls.key, key);
    },
  };
}

const opened = (service: ServiceName, { tls }: Files) => openIdentity({ service, tls }, log, readEveryMs);

async function certified(service: ServiceName, authority: Authority): Promise<Identity> {
  const files = filesOf(service);
  await files.write(authority);
  return opened(service, files);
}

/** Calls a method over a new connection. Returns "answered" or the code of the fault. */
async function ask(port: number, identity: Identity, method: "getUser" | "listUsers" = "getUser"): Promise<string> {
  await using peer = connect(`127.0.0.1:${port}`, identity);
  const client = peer.client(definition);
  const answer = method === "getUser" ? client.getUser({ by: { $case: "id", value: 1 } }) : client.listUsers({});
  return answer.then(
    () => "answered",
    (error: unknown) => asFault(error).code,
  );
}

let authority: Authority;
beforeAll(async () => {
  authority = await newAuthority(1);
});

describe("with certificates", () => {
  test("the certificate identifies the calling service, whatever the metadata says", async () => {
    await using identity = await certified("namespaces", authority);
    await using server = await serve(identity);
    await using gateway = await certified("gateway", authority);
    await using builds = await certified("builds", authority);
    await using runner = await certified("runner", authority);
    expect(await ask(server.port, gateway, "listUsers")).toBe("answered");
    expect(await ask(server.port, builds)).toBe("answered");
    expect(calls.at(-1)).toMatchObject({ service: "builds" });
    expect(await ask(server.port, builds, "listUsers")).toBe("forbidden");
    const forged = {
      ...runner,
      prove: (_: unknown, metadata: Map<string, string>) => metadata.set("ci-certified", "gateway"),
    };
    for (const one of [runner, forged as unknown as Identity]) expect(await ask(server.port, one)).toBe("forbidden");
    const { values } = await metrics.getSingleMetric("ci_rpc_denied_total")!.get();
    const counted = values.map(({ labels, value }) => [String(labels.method).split("/").at(-1), labels.peer, value]);
    expect(counted.sort()).toEqual([
      ["GetUser", "runner", 2],
      ["ListUsers", "builds", 1],
    ]);
  });

  test("the user of a call is trusted from services that may act for users, and ignored from others", async () => {
    await using identity = await certified("namespaces", authority);
    await using server = await serve(identity);
    const caller = { userId: 7, scope: "user:read", tokenId: 3, requestId: "r-1" };
    for (const service of ["gateway", "builds"] as const) {
      await using own = await certified(service, authority);
      expect(await runAs(caller, () => ask(server.port, own))).toBe("answered");
      const { userId, scope, tokenId, requestId } = calls.at(-1)!.caller;
      const believed = service === "gateway" ? caller : { requestId: "r-1" };
      expect({ userId, scope, tokenId, requestId }).toEqual({ ...believed });
    }
  });

  test("the server rejects connections with a certificate of another authority, or without one", async () => {
    await using identity = await certified("namespaces", authority);
    await using server = await serve(identity);
    await using foreign = await certified("gateway", await newAuthority(1));
    const trusting = { ...foreign, channelCredentials: ChannelCredentials.createSsl(Buffer.from(authority.ca)) };
    const plain = { ...foreign, channelCredentials: ChannelCredentials.createInsecure() };
    for (const refused of [foreign, trusting, plain]) expect(await ask(server.port, refused)).toBe("unavailable");
  });

  test("a service does not start with a certificate of two services, of another service or for another key", async () => {
    const files = filesOf("builds");
    for (const names of [["builds", "runner"], ["runner"], ["builds.example.com"]]) {
      await files.write(authority, [authority], names);
      expect(() => opened("builds", files)).toThrow(/^TLS_CERT must have the DNS name "builds" and that of no other/);
    }
    await files.write(authority);
    writeFileSync(files.tls.key, (await authority.sign(["builds"], 1)).key);
    expect(() => opened("builds", files)).toThrow("TLS_KEY is not the key of the certificate in TLS_CERT");
    rmSync(files.tls.ca);
    expect(() => opened("builds", files)).toThrow(/^TLS_CA cannot be read: ENOENT/);
  });
});

test("a new authority replaces the old one while calls continue", async () => {
  const [old, next] = [await newAuthority(1), await newAuthority(1)];
  const [serving, calling] = [filesOf("namespaces"), filesOf("gateway")];
  for (const files of [serving, calling]) await files.write(old);
  await using identity = opened("namespaces", serving);
  await using server = await serve(identity);
  await using gateway = opened("gateway", calling);
  await using lasting = connect(`127.0.0.1:${server.port}`, gateway);
  await using stale = await certified("gateway", old);
  const results = new Set<string>();
  let stop = false;
  const calls = (async () => {
    while (!stop) {
      results.add(await ask(server.port, gateway));
      await lasting.client(definition).listUsers({});
    }
  })();
  /** Trusts only `next`, so it is answered once the server has reread its files and has a certificate of `next`. */
  await using newcomer = await certified("gateway", next);
  expect(await ask(server.port, newcomer)).toBe("unavailable");
  for (const files of [serving, calling]) await files.write(old, [next, old]);
  const trusting = filesOf("gateway");
  await trusting.write(next, [next, old]);
  await using early = opened("gateway", trusting);
  await eventually(async () => expect(await ask(server.port, early)).toBe("answered"));
  for (const files of [serving, calling]) await files.write(next, [next, old]);
  await eventually(async () => expect(await ask(server.port, newcomer)).toBe("answered"));
  for (const files of [serving, calling]) await files.write(next);
  await eventually(async () => expect(await ask(server.port, stale)).toBe("unavailable"));
  stop = true;
  await calls;
  expect([...results]).toEqual(["answered"]);
});

test("a change takes effect only when all its files are written", async () => {
  const files = filesOf("namespaces");
  await files.write(authority);
  const refusals: unknown[] = [];
  await using provider = certificateFiles(files.tls, "namespaces", readEveryMs, (error) => refusals.push(error));
  const given: unknown[] = [];
  provider.addIdentityCertificateListener((identity) => given.push(identity));
  writeFileSync(files.tls.cert, "");
  await eventually(() => expect(refusals).not.toEqual([]));
  // The new certificate. Its key is not written yet.
  writeFileSync(files.tls.cert, (await authority.sign(["namespaces"], 1)).cert);
  const misfit = expect.objectContaining({ message: "TLS_KEY is not the key of the certificate in TLS_CERT" });
  await eventually(() => expect(refusals).toContainEqual(misfit));
  expect(given).toHaveLength(1);
  await files.write(authority);
  await eventually(() => expect(given.length).toBeGreaterThan(1));
});
