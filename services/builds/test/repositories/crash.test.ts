import { anonymous, runAs } from "@ci/kit/rpc/caller";
import { startAccounts } from "@ci/testkit/accounts";
import { eventually } from "@ci/testkit/eventually";
import { type GitServer, gitServer } from "@ci/testkit/git-server";
import { connect } from "@ci/testkit/identities";
import { suite } from "@ci/testkit/suite";
import { start } from "../../src/service.js";
import { clients, configOf } from "../_suite.js";
import { manifest, secret, sent } from "./_hooks.js";

const names = suite();
let accounts: Awaited<ReturnType<typeof startAccounts>>;
let server: GitServer;
let hold: Promise<void> | undefined;
beforeAll(async () => {
  accounts = await startAccounts(names);
  server = await gitServer({
    before: async () => {
      await hold;
      return undefined;
    },
  });
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await accounts[Symbol.asyncDispose]();
});

/** The builds service, as a process would be, with leases that end soon. */
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

/** Makes the git server answer nobody until the returned function is called. */
function holdBack(): () => void {
  let release = () => {};
  hold = new Promise((resolve) => {
    release = resolve;
  });
  return () => {
    hold = undefined;
    release();
  };
}

type Builds = Awaited<ReturnType<typeof startBuilds>>;

/** A repository of a new user with two manifests at a commit, and what to ask and to tell of it. */
async function aRepository(on: Builds, name: string) {
  const user = await accounts.aUser(name);
  const as = <T>(work: () => Promise<T>) => runAs({ ...anonymous(), userId: user.id }, work);
  const { id: namespaceId } = await accounts.aNamespace(user, name);
  const git = await server.repository(`octo/${name}.git`);
  const sha = await git.commit({ ".service-ci.yml": manifest, ".service-ci/b.yml": manifest });
  const wish = { namespaceId, provider: "github", url: git.url, secret, accessToken: undefined };
  const { repository } = await as(() => on.repositories.createRepository(wish));
  return {
    ask: (deliveryId: string) => ({
      provider: "github",
      id: repository!.id,
      ...sent.push.github({ sha }, deliveryId),
    }),
    asked: () => server.asked.filter((one) => one.includes(`/octo/${name}.git/`)),
    async numbers(of: Builds) {
      const { builds } = await as(() => of.builds.listBuilds({ namespaceId, tag: "", search: "" }));
      return builds.map(({ number }) => number).sort();
    },
  };
}

it("builds a stored delivery exactly once after the process that held it has died", async () => {
  const first = await startBuilds();
  const { ask, numbers } = await aRepository(first, "dying");
  const release = holdBack();
  // The repository does not answer in time, the provider gets its answer nevertheless; then the process ends.
  expect((await first.repositories.receiveHook(ask("one"))).builds).toEqual([]);
  await first.stop();
  release();
  const [second, third] = await Promise.all([startBuilds(), startBuilds()]);
  expect((await third.repositories.receiveHook(ask("one"))).builds).toEqual([]);
  await eventually(async () => expect(await numbers(second)).toHaveLength(2));
  await second.repositories.receiveHook(ask("another"));
  await eventually(async () => expect(await numbers(second)).toHaveLength(4));
  await second.stop();
  await third.stop();
});

it("a process that resumes after another one took its delivery over makes no second build", async () => {
  const [first, second] = await Promise.all([startBuilds(), startBuilds()]);
  const { ask, asked, numbers } = await aRepository(first, "late");
  const release = holdBack();
  await first.repositories.receiveHook(ask("one"));
  // Both are reading now: one that has lost the delivery, and one that has taken it over.
  await eventually(() => expect(asked().length).toBeGreaterThanOrEqual(2));
  release();
  await eventually(() => expect(asked().length).toBeGreaterThanOrEqual(10));
  await eventually(async () => expect(await numbers(first)).toHaveLength(2));
  await first.stop();
  await second.stop();
  const third = await startBuilds();
  expect(await numbers(third)).toHaveLength(2);
  await third.stop();
});
