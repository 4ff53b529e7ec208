import { anonymous, runAs } from "@ci/kit/rpc/caller";
import { startAccounts } from "@ci/testkit/accounts";
import { eventually } from "@ci/testkit/eventually";
import { type GitServer, gitServer } from "@ci/testkit/git-server";
import { connect } from "@ci/testkit/identities";
import { suite } from "@ci/testkit/suite";
import { start } from "../../src/service.js";
import { clients, configOf } from "../_suite.js";
import { deliveries, manifest, secret } from "./_hooks.js";

const names = suite();
let accounts: Awaited<ReturnType<typeof startAccounts>>;
let server: GitServer;
let stalled: Promise<void> | undefined;
beforeAll(async () => {
  accounts = await startAccounts(names);
  server = await gitServer({
    before: async () => {
      await stalled;
      return undefined;
    },
  });
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await accounts[Symbol.asyncDispose]();
});

/** Starts a builds service with short leases. */
async function startBuilds() {
  const overrides = { hookLeaseMs: 1_000, hookAnswerMs: 100 };
  const service = await start(configOf(names, accounts.address, overrides));
  const peer = connect(`127.0.0.1:${service.port}`);
  const stop = async () => {
    await peer[Symbol.asyncDispose]();
    await service[Symbol.asyncDispose]();
  };
  return { ...clients(peer), stop };
}

/** Stalls the git server until the returned function is called. */
function stallGit(): () => void {
  let release = () => {};
  stalled = new Promise((resolve) => {
    release = resolve;
  });
  return () => {
    stalled = undefined;
    release();
  };
}

type Builds = Awaited<ReturnType<typeof startBuilds>>;

/** Creates a new user's repository with two manifests at a commit. */
async function aRepository(service: Builds, name: string) {
  const user = await accounts.aUser(name);
  const as = <T>(work: () => Promise<T>) => runAs({ ...anonymous(), userId: user.id }, work);
  const { id: namespaceId } = await accounts.aNamespace(user, name);
  const git = await server.repository(`octo/${name}.git`);
  const sha = await git.commit({ ".service-ci.yml": manifest, ".service-ci/b.yml": manifest });
  const request = { namespaceId, provider: "github", url: git.url, secret, accessToken: undefined };
  const { repository } = await as(() => service.repositories.createRepository(request));
  return {
    delivery: (deliveryId: string) => ({
      provider: "github",
      id: repository!.id,
      ...deliveries.push.github({ sha, message: deliveryId }, deliveryId),
    }),
    gitRequests: () => server.gitRequests.filter((request) => request.includes(`/octo/${name}.git/`)),
    async numbers(service: Builds) {
      const { builds } = await as(() => service.builds.listBuilds({ namespaceId, tag: "", search: "" }));
      return builds.map(({ number }) => number).sort();
    },
  };
}

it("a stored delivery makes its builds exactly once after the process that held it died", async () => {
  const first = await startBuilds();
  const { delivery, numbers } = await aRepository(first, "dying");
  const release = stallGit();
  // The git server does not answer in time, but the provider gets its response. Then the process ends.
  expect((await first.repositories.receiveHook(delivery("one"))).builds).toEqual([]);
  await first.stop();
  release();
  const [second, third] = await Promise.all([startBuilds(), startBuilds()]);
  expect((await third.repositories.receiveHook(delivery("one"))).builds).toEqual([]);
  await eventually(async () => expect(await numbers(second)).toHaveLength(2));
  await second.repositories.receiveHook(delivery("another"));
  await eventually(async () => expect(await numbers(second)).toHaveLength(4));
  await second.stop();
  await third.stop();
});

it("a process that resumes after another one took over its delivery makes no second build", async () => {
  const [first, second] = await Promise.all([startBuilds(), startBuilds()]);
  const { delivery, gitRequests, numbers } = await aRepository(first, "late");
  const release = stallGit();
  await first.repositories.receiveHook(delivery("one"));
  // Two processes are reading now. One has lost the delivery, and the other has taken it over.
  await eventually(() => expect(gitRequests().length).toBeGreaterThanOrEqual(2));
  release();
  await eventually(() => expect(gitRequests().length).toBeGreaterThanOrEqual(10));
  await eventually(async () => expect(await numbers(first)).toHaveLength(2));
  await first.stop();
  await second.stop();
  const third = await startBuilds();
  expect(await numbers(third)).toHaveLength(2);
  await third.stop();
});
