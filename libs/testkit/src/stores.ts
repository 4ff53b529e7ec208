import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { MongoClient } from "mongodb";
import { eventually } from "./eventually.js";
import { freePort } from "./ports.js";

/** A server that can be killed and restarted with the same data and address. */
export interface Store {
  kill(): Promise<void>;
  start(): Promise<void>;
  /** Stops the process until `resume`; connections stay open. Resolves when none of its threads runs any more. */
  pause(): Promise<void>;
  resume(): void;
}

export interface Stores extends AsyncDisposable {
  readonly mongoUrl: string;
  readonly natsUrl: string;
  readonly mongo: Store;
  readonly nats: Store;
  /** Removes all data of NATS, which must have been killed. */
  loseEvents(): void;
}

const binariesScript = join(__dirname, "../../../deploy/local/provision/binaries.mjs");

/** Finds or downloads the programs, as `npm start` does. */
async function programs(): Promise<{ mongod: string; natsServer: string }> {
  const script = `
    import { findMongod, findNatsServer } from ${JSON.stringify(pathToFileURL(binariesScript).href)};
    const found = { mongod: await findMongod(), natsServer: await findNatsServer() };
    process.stdout.write("\\n" + JSON.stringify(found));`;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script]);
  return JSON.parse(stdout.trim().split("\n").at(-1)!);
}

const acceptConnection = (port: number) =>
  new Promise<void>((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.destroy();
      resolve();
    }).once("error", reject);
  });

/** A stopping process still runs for a moment. */
function expectStopped(pid: number): void {
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const [state] = readFileSync(`/proc/${pid}/task/${thread}/stat`, "utf8").replace(/^.*\) /, "");
    if (state !== "T") throw new Error(`Thread ${thread} of process ${pid} is in state ${state}`);
  }
}

function store(program: string, args: readonly string[], port: number, env = process.env): Store {
  let child: ChildProcess | undefined;
  return {
    async kill() {
      if (!child || child.exitCode !== null || child.signalCode !== null) return;
      child.kill("SIGKILL");
      await once(child, "exit");
    },
    async start() {
      const started = spawn(program, args, { stdio: "ignore", env });
      child = started;
      await eventually(async () => {
        if (started.exitCode !== null) throw new Error(`${program} exited with ${started.exitCode}`);
        await acceptConnection(port);
      });
    },
    async pause() {
      child!.kill("SIGSTOP");
      if (existsSync("/proc/self/task")) await eventually(() => expectStopped(child!.pid!));
    },
    resume: () => void child?.kill("SIGCONT"),
  };
}

const mongoStore = (mongod: string, dir: string, port: number, ...more: string[]): Store => {
  const location = ["--dbpath", dir, "--port", String(port), "--bind_ip", "127.0.0.1", "--nounixsocket"];
  const limits = ["--wiredTigerCacheSizeGB", "0.5", "--setParameter", "notablescan=1"];
  return store(mongod, [...location, ...limits, ...more, "--quiet"], port);
};

function natsStore(natsServer: string, dir: string, port: number, users = ""): Store {
  const config = join(dir, "nats.conf");
  const jetstream = `jetstream { store_dir: ${JSON.stringify(dir)}, sync_interval: always }`;
  writeFileSync(config, `max_payload: 8MB\n${jetstream}\n${users}`);
  return store(natsServer, ["-c", config, "-a", "127.0.0.1", "-p", String(port)], port);
}

/** Starts the servers and prepares them. Disposing kills them and removes their data. */
async function started(
  dirs: readonly string[],
  stores: readonly Store[],
  prepare: () => Promise<void> = async () => undefined,
): Promise<AsyncDisposable> {
  const stop = async () => {
    for (const store of stores) await store.kill();
    for (const dir of dirs) rmSync(dir, { recursive: true, force: true });
  };
  try {
    for (const store of stores) await store.start();
    await prepare();
  } catch (error) {
    await stop();
    throw error;
  }
  return { [Symbol.asyncDispose]: stop };
}

const newDir = () => mkdtempSync(join(tmpdir(), "ci-stores-"));

const replicaSet = "rs0";

const untilPrimary = (client: MongoClient) =>
  eventually(async () => {
    const { me, isWritablePrimary } = await client.db("admin").command({ hello: 1 });
    if (!isWritablePrimary) throw new Error(`${me} is not primary yet`);
  });

async function startReplicaSet(host: string): Promise<void> {
  const client = await MongoClient.connect(`mongodb://${host}/?directConnection=true`);
  try {
    await client.db("admin").command({ replSetInitiate: { _id: replicaSet, members: [{ _id: 0, host }] } });
    await untilPrimary(client);
  } finally {
    await client.close();
  }
}

/** Makes the first of two hosts the primary. It remains primary even if it is alone for an hour. */
async function startReplicaPair(hosts: readonly [string, string]): Promise<void> {
  const client = await MongoClient.connect(`mongodb://${hosts[0]}/?directConnection=true`);
  try {
    const admin = client.db("admin");
    const members = hosts.map((host, _id) => ({ _id, host, priority: 1 - _id }));
    const settings = { electionTimeoutMillis: 3_600_000 };
    await admin.command({ replSetInitiate: { _id: replicaSet, settings, members } });
    await eventually(() => admin.command({ replSetStepUp: 1 }));
    const ready = client.db("ready").collection("ready", { writeConcern: { w: "majority" } });
    await eventually(() => ready.insertOne({}));
  } finally {
    await client.close();
  }
}

/** Makes the second of two hosts the primary while the first is paused, as the votes of a third would. */
async function promote(host: string): Promise<void> {
  const client = await MongoClient.connect(`mongodb://${host}/?directConnection=true`);
  try {
    const admin = client.db("admin");
    const { config } = await admin.command({ replSetGetConfig: 1 });
    const members = config.members.map((member: { host: string }) => {
      const share = member.host === host ? 1 : 0;
      return { ...member, votes: share, priority: share };
    });
    await admin.command({ replSetReconfig: { ...config, members }, force: true });
    await eventually(() => admin.command({ replSetStepUp: 1 }));
    await untilPrimary(client);
  } finally {
    await client.close();
  }
}

interface MongoPair extends AsyncDisposable {
  /** Leads to the first, which is the primary. */
  readonly mongoUrl: string;
  /** Leads to the one that is the primary. */
  readonly setUrl: string;
  readonly first: Store;
  readonly second: Store;
  promoteSecond(): Promise<void>;
}

/** Starts a replica set of two. While `second` is paused, what is written is not on a majority of them. */
export async function startMongoPair(): Promise<MongoPair> {
  const { mongod } = await programs();
  const dirs = [newDir(), newDir()] as const;
  const ports = [await freePort(), await freePort()] as const;
  const serve = (nth: 0 | 1) => mongoStore(mongod, dirs[nth], ports[nth], "--replSet", replicaSet);
  const [first, second] = [serve(0), serve(1)];
  const hosts = [`127.0.0.1:${ports[0]}`, `127.0.0.1:${ports[1]}`] as const;
  const running = await started(dirs, [first, second], () => startReplicaPair(hosts));
  return {
    mongoUrl: `mongodb://${hosts[0]}/?directConnection=true`,
    setUrl: `mongodb://${hosts.join()}/?replicaSet=${replicaSet}`,
    first,
    second,
    promoteSecond: () => promote(hosts[1]),
    ...running,
  };
}

/** Starts a MongoDB, alone or as a replica set of one like those of deploy/, and a NATS on 127.0.0.1 for one test. */
export async function startStores(mongoAs: "standalone" | "replica set" = "standalone"): Promise<Stores> {
  const { mongod, natsServer } = await programs();
  const dir = newDir();
  const [mongoPort, natsPort] = [await freePort(), await freePort()];
  const isMember = mongoAs === "replica set";
  const mongo = mongoStore(mongod, dir, mongoPort, ...(isMember ? ["--replSet", replicaSet] : []));
  const nats = natsStore(natsServer, dir, natsPort);
  const mongoHost = `127.0.0.1:${mongoPort}`;
  const running = await started([dir], [mongo, nats], async () => {
    if (isMember) await startReplicaSet(mongoHost);
  });
  return {
    mongoUrl: `mongodb://${mongoHost}${isMember ? `/?replicaSet=${replicaSet}` : ""}`,
    natsUrl: `nats://127.0.0.1:${natsPort}`,
    mongo,
    nats,
    loseEvents: () => rmSync(join(dir, "jetstream"), { recursive: true, force: true }),
    ...running,
  };
}

export async function startMongo(): Promise<Pick<Stores, "mongoUrl" | "mongo"> & AsyncDisposable> {
  const { mongod } = await programs();
  const dir = newDir();
  const port = await freePort();
  const mongo = mongoStore(mongod, dir, port);
  return { mongoUrl: `mongodb://127.0.0.1:${port}`, mongo, ...(await started([dir], [mongo])) };
}

/** Starts a MongoDB with further options. */
export async function startMongoWith(
  ...options: string[]
): Promise<{ readonly address: string; readonly mongo: Store } & AsyncDisposable> {
  const { mongod } = await programs();
  const dir = newDir();
  const port = await freePort();
  const mongo = mongoStore(mongod, dir, port, ...options);
  return { address: `127.0.0.1:${port}`, mongo, ...(await started([dir], [mongo])) };
}

/** Starts a NATS. `users` is the part of its configuration with the users and their rights. */
export async function startNats(users: string): Promise<{ readonly address: string } & AsyncDisposable> {
  const { natsServer } = await programs();
  const dir = newDir();
  const port = await freePort();
  return { address: `127.0.0.1:${port}`, ...(await started([dir], [natsStore(natsServer, dir, port, users)])) };
}

/** Starts a NATS with this configuration file and environment. */
export async function startNatsWith(
  configFile: string,
  env: NodeJS.ProcessEnv,
): Promise<{ readonly address: string } & AsyncDisposable> {
  const { natsServer } = await programs();
  const port = await freePort();
  const nats = store(natsServer, ["-c", configFile, "-a", "127.0.0.1", "-p", String(port)], port, env);
  return { address: `127.0.0.1:${port}`, ...(await started([newDir()], [nats])) };
}
