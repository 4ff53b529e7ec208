/// <reference types="jest" />
import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readConfig as buildsConfig } from "@ci/builds/config";
import { start as startBuilds } from "@ci/builds/service";
import { readConfig as gatewayConfig } from "@ci/gateway/config";
import { start as startGateway } from "@ci/gateway/service";
import { readConfig as imagesConfig } from "@ci/images/config";
import { start as startImages } from "@ci/images/service";
import { assembled } from "@ci/kit/process/assembled";
import type { ServiceName } from "@ci/kit/rpc/callers";
import { readConfig as namespacesConfig } from "@ci/namespaces/config";
import { start as startNamespaces } from "@ci/namespaces/service";
import { readConfig as runnerConfig } from "@ci/runner/config";
import { start as startRunner } from "@ci/runner/service";
import { readConfig as webhooksConfig } from "@ci/webhooks/config";
import { start as startWebhooks } from "@ci/webhooks/service";
import { type Api, type ApiResponse, apiAt } from "./api.js";
import { aUser } from "./builders.js";
import { type Description, descriptionOf } from "./description.js";
import { identitySettings } from "./identities.js";
import { anyRate } from "./rates.js";
import { type Suite, suite } from "./suite.js";

/** The API as a new user with a token. */
export interface SignedUp extends Api {
  readonly id: number;
  readonly username: string;
  readonly email: string;
  readonly token: string;
}

/** All services together, and helpers to use them. */
export interface Constellation extends AsyncDisposable {
  /** The public base URL, which does not resolve. */
  readonly url: string;
  /** The address where the gateway listens. */
  readonly origin: string;
  readonly adminToken: string;
  /** The API with the bootstrap token. */
  readonly admin: Api;
  readonly description: Description;
  readonly natsUrl: string;
  readonly subjectPrefix: string;
  /** Where the services serve gRPC. */
  readonly addresses: Readonly<Record<Exclude<ServiceName, "gateway" | "runner">, string>>;
  /** Returns the API for a token, or without one. */
  as(token?: string): Api;
  /** Creates a user with a token of this scope. */
  signUp(username?: string, scope?: string): Promise<SignedUp>;
}

export interface Differences {
  readonly settings?: Readonly<Record<string, string>>;
  readonly mongoUrls?: Partial<Record<ServiceName, string>>;
  /** Whether to run builds; otherwise they stay queued. */
  readonly runner?: boolean;
  /** The gateway's port, at which its public URL resolves. */
  readonly publicPort?: number;
  /** The clock of the builds service, for cron jobs. */
  readonly now?: () => Date;
}

const resources = ["build", "invite", "image", "namespace", "object", "variable", "key", "cron", "webhook"];
/** The scope of everything but `user`. */
export const everything = resources.map((resource) => `${resource}:read,write,delete`).join(" ");

const anyPort = "127.0.0.1:0";

/** Starts all services of a suite in this process, on free ports. */
export const startConstellation = (
  { mongoUrl, mongoDb, natsUrl, subjectPrefix }: Pick<Suite, "mongoUrl" | "mongoDb" | "natsUrl" | "subjectPrefix">,
  { settings = {}, mongoUrls = {}, runner = false, publicPort, now }: Differences = {},
): Promise<Constellation> =>
  assembled(async ({ own }) => {
    const adminToken = `admin-${randomBytes(16).toString("hex")}`;
    const common = {
      LISTEN: anyPort,
      ADMIN_LISTEN: anyPort,
      LOG_LEVEL: "silent",
      NATS_URL: natsUrl,
      SUBJECT_PREFIX: subjectPrefix,
      SECRET_KEYS: `test:${Buffer.alloc(32, 7).toString("base64")}`,
      CI_ADMIN_TOKEN: adminToken,
      DRIVERS: "os,docker,qemu",
      RUNNER_DRIVERS: "os",
      DOCKER_LOCAL_IMAGES: process.env.CI_TEST_IMAGE ?? "-",
      CI_GUARD_ALLOW: "127.0.0.1/32",
      PUBLIC_URL: publicPort === undefined ? "http://ci.test/api" : `http://127.0.0.1:${publicPort}/api`,
      ...anyRate,
      // Longer than a busy machine may stall.
      LEASE: "10min",
      DOWNLOAD_LEASE: "10min",
      HOOK_ANSWER: "25s",
      HOOK_TIMEOUT: "5min",
      HOOK_LEASE: "30min",
    };
    const env = (service: ServiceName, addresses: Record<string, string> = {}) => ({
      ...common,
      ...identitySettings(service),
      MONGO_URL: mongoUrls[service] ?? mongoUrl,
      MONGO_DB: `${mongoDb}_${service}`,
      ...addresses,
      ...settings,
    });
    const addressOf = ({ port }: { port: number }) => `127.0.0.1:${port}`;
    const NAMESPACES_ADDR = addressOf(own(await startNamespaces(namespacesConfig(env("namespaces")))));
    const BUILDS_ADDR = addressOf(
      own(await startBuilds(buildsConfig(env("builds", { NAMESPACES_ADDR })), now && { now })),
    );
    const IMAGES_ADDR = addressOf(own(await startImages(imagesConfig(env("images", { NAMESPACES_ADDR })))));
    const peers = { NAMESPACES_ADDR, BUILDS_ADDR, IMAGES_ADDR };
    const webhooks = { ...webhooksConfig(env("webhooks", peers)), aliveMs: 600_000 };
    const WEBHOOKS_ADDR = addressOf(own(await startWebhooks(webhooks)));
    if (runner) {
      const RUNNER_DIR = await mkdtemp(join(tmpdir(), "ci-runner-"));
      own({ [Symbol.asyncDispose]: () => rm(RUNNER_DIR, { recursive: true, force: true }) });
      own(await startRunner(runnerConfig(env("runner", { ...peers, RUNNER_DIR, PATH: "/usr/bin:/bin" }))));
    }
    const LISTEN = publicPort === undefined ? anyPort : `127.0.0.1:${publicPort}`;
    const config = gatewayConfig(env("gateway", { ...peers, WEBHOOKS_ADDR, LISTEN }));
    const { port } = own(await startGateway(config));
    const helpers = await helpersFor({ publicUrl: config.publicUrl, port, adminToken });
    const addresses = {
      namespaces: NAMESPACES_ADDR,
      builds: BUILDS_ADDR,
      images: IMAGES_ADDR,
      webhooks: WEBHOOKS_ADDR,
    };
    return { ...helpers, natsUrl, subjectPrefix, addresses };
  });

async function helpersFor({ publicUrl, port, adminToken }: { publicUrl: string; port: number; adminToken: string }) {
  const origin = `http://127.0.0.1:${port}`;
  const bare = apiAt({ publicUrl, origin });
  const description = descriptionOf((await bare.get("/openapi.json")).json);
  const as = (token?: string) => apiAt({ publicUrl, origin, token, description });
  const admin = as(adminToken);
  const signUp = async (username?: string, scope = everything): Promise<SignedUp> => {
    const user = created(await admin.post("/users", aUser({ username })));
    const { secret: token } = created(await admin.post(`/users/${user.username}/tokens`, { name: "test", scope }));
    return { ...as(token), id: user.id, username: user.username, email: user.email, token };
  };
  return { url: publicUrl, origin, adminToken, admin, description, as, signUp };
}

/** Returns the created record, or throws if the status is not 201. */
export function created({ status, text, json }: ApiResponse) {
  if (status !== 201) throw new Error(`Not created, but ${status}: ${text}`);
  return json;
}

/**
 * All services for one test file, started before its first test and stopped after the last. Call it once per file,
 * outside of every hook; its properties are set once the tests run.
 */
export function constellation(differences: Differences = {}): Constellation {
  const names = suite();
  const running = {} as Constellation;
  beforeAll(async () => void Object.assign(running, await startConstellation(names, differences)));
  afterAll(() => running[Symbol.asyncDispose]?.());
  return running;
}
