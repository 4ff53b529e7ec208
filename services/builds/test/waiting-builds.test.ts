import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { BuildInputServiceDefinition, type GetBuildInputsRequest } from "@ci/proto/namespaces/v1/resources";
import { eventually } from "@ci/testkit/eventually";
import { gate } from "@ci/testkit/gate";
import { connect } from "@ci/testkit/identities";
import { inBuildingTurn } from "../src/actions/submit/building-turns.js";
import { cronsOf } from "./_crons.js";
import { bootBuilds, clients, fault, manifest } from "./_suite.js";

// Large builds wait for their turn. Meanwhile their users may lose what they had when the request was checked.

const suite = bootBuilds();
const crons = cronsOf(suite);
const large = `${manifest}- {stage: make, commands: ["${"x".repeat(100_000)}"]}\n`;
let count = 0;

setFlagsFromString("--expose-gc");
const gc = runInNewContext("gc") as () => void;
const inputsInUse = new Set<WeakRef<object>>();
function countInputs(): number {
  gc();
  return [...inputsInUse].filter((ref) => ref.deref()).length;
}

type Clients = ReturnType<typeof clients>;

/** Lets a call wait for its turn until `meanwhile` is over. */
async function whileWaiting<T>(call: (through: Clients) => Promise<T>, meanwhile: () => Promise<unknown>): Promise<T> {
  const [stall, reached] = [gate(), gate()];
  const holding = inBuildingTurn(suite.users.eve.id, 32 * 1024 ** 2, stall.pass);
  await using namespaces = connect(suite.accounts.address);
  const client = namespaces.client(BuildInputServiceDefinition);
  const inputs = {
    async getBuildInputs(request: GetBuildInputsRequest) {
      const found = await client.getBuildInputs(request);
      void reached.pass();
      inputsInUse.add(new WeakRef(found));
      return found;
    },
  };
  await using service = await suite.startService({ inputs });
  await using peer = connect(`127.0.0.1:${service.port}`);
  try {
    const calling = call(clients(peer));
    await Promise.race([reached.reached, calling]);
    await meanwhile();
    stall.open();
    return await calling;
  } finally {
    stall.open();
    await holding;
  }
}

/** Creates a namespace of ann's with bob as a collaborator. */
async function shared(content = large) {
  const { ann, bob } = suite.users;
  const namespace = await suite.accounts.aNamespace(ann, `waiting${++count}`);
  await crons.invite(ann, namespace, bob);
  const which = { namespaceId: namespace.id, handle: bob.username };
  const removeBob = () => suite.as(ann, () => suite.accounts.namespaces.removeCollaborator(which));
  const list = { namespaceId: namespace.id, tag: "", search: "" };
  const builds = async () => (await suite.as(ann, () => suite.builds.listBuilds(list))).builds.length;
  return { namespace, text: `namespace: ${namespace.path}@ann\n${content}`, removeBob, builds };
}

it("builds keep no variables in memory while they wait", async () => {
  const submit = ({ builds }: Clients) =>
    suite.as(suite.users.ann, () => builds.submitBuild({ manifest: large, comment: "", tags: [], variables: {} }));
  const ended = async () => {
    expect(inputsInUse.size).toBeGreaterThan(0);
    await eventually(() => expect(countInputs()).toBe(0));
  };
  expect((await whileWaiting(submit, ended)).build).toMatchObject({ status: "queued" });
});

it("a build is refused if its user was removed from its namespace while it waited", async () => {
  const { text, removeBob, builds } = await shared();
  const submit = ({ builds }: Clients) =>
    suite.as(suite.users.bob, () => builds.submitBuild({ manifest: text, comment: "", tags: [], variables: {} }));
  const fields = { manifest: ["Manifest cannot submit to namespace"] };
  expect(await fault(whileWaiting(submit, removeBob))).toMatchObject({ code: "invalid", fields });
  expect(await builds()).toBe(0);
});

it("a restart is refused if its user was removed from its namespace while it waited", async () => {
  const { text, removeBob, builds } = await shared();
  const { userId, number, id } = await suite.submit(suite.users.ann, text);
  await suite.as(suite.users.ann, () => suite.builds.killBuild({ ref: { userId, number } }));
  const restart = (through: Clients) =>
    suite.as(suite.users.bob, () => through.builds.restartBuild({ ref: { userId, number }, restartOf: `${id}` }));
  expect(await fault(whileWaiting(restart, removeBob))).toMatchObject({ code: "not_found" });
  expect(await builds()).toBe(1);
});

it("a build is refused if its user was deleted while it waited", async () => {
  const user = await suite.accounts.aUser(`waiting${++count}`);
  const submit = ({ builds }: Clients) =>
    suite.as(user, () => builds.submitBuild({ manifest: large, comment: "", tags: [], variables: {} }));
  const deleteUser = () =>
    suite.as(suite.users.ann, () => suite.accounts.accounts.deleteUser({ username: user.username }));
  expect(await fault(whileWaiting(submit, deleteUser))).toMatchObject({ code: "unauthenticated" });
  expect(await suite.database().collection("builds").countDocuments({ userId: user.id })).toBe(0);
});

describe("a run of a cron job", () => {
  const run = (id: number) => (through: Clients) => suite.as(suite.users.bob, () => through.crons.runCron({ id }));

  it("is refused if its starter was removed from its namespace while it waited", async () => {
    const { text, removeBob, builds } = await shared();
    const { id } = await crons.create(suite.users.ann, { manifest: text });
    expect(await fault(whileWaiting(run(id), removeBob))).toMatchObject({ code: "not_found" });
    expect(await builds()).toBe(0);
  });

  it("is refused if the cron job was deleted while it waited", async () => {
    const { text, builds } = await shared();
    const { id } = await crons.create(suite.users.ann, { manifest: text });
    const remove = () => crons.remove(suite.users.ann, id);
    expect(await fault(whileWaiting(run(id), remove))).toMatchObject({ code: "not_found" });
    expect(await builds()).toBe(0);
  });
});

it("a build gets the variables that exist when its turn comes, also if they have grown", async () => {
  const { bob } = suite.users;
  const create = (key: string, value: string) =>
    suite.as(bob, () => suite.accounts.variables.createVariable({ namespace: "", key, value, mask: false }));
  const { variable } = await create("BEFORE", "before");
  const submit = ({ builds }: Clients) =>
    suite.as(bob, () => builds.submitBuild({ manifest: large, comment: "", tags: [], variables: {} }));
  const { build } = await whileWaiting(submit, async () => {
    await suite.as(bob, () => suite.accounts.variables.deleteVariable({ id: variable!.id }));
    await create("AFTER", "x".repeat(60_000));
  });
  const ref = { userId: build!.userId, number: build!.number };
  const { variables } = await suite.as(bob, () => suite.builds.listBuildVariables({ ref, search: "" }));
  expect(variables.map(({ key }) => key)).toEqual(["AFTER"]);
});

describe("a small one that took long to check", () => {
  /** Removes bob after the checks of one of his calls, before its build is stored. */
  async function withoutBob<T>(removeBob: () => Promise<unknown>, call: (through: Clients) => Promise<T>): Promise<T> {
    await using namespaces = connect(suite.accounts.address);
    const client = namespaces.client(BuildInputServiceDefinition);
    const getBuildInputs = (request: GetBuildInputsRequest) => removeBob().then(() => client.getBuildInputs(request));
    await using service = await suite.startService({ inputs: { getBuildInputs } });
    await using peer = connect(`127.0.0.1:${service.port}`);
    return await suite.as(suite.users.bob, () => call(clients(peer)));
  }
  const refused = { code: "not_found" };

  it("is not restarted by a user who was removed meanwhile", async () => {
    const { text, removeBob, builds } = await shared(manifest);
    const { userId, number, id } = await suite.submit(suite.users.ann, text);
    const ref = { userId, number };
    await suite.as(suite.users.ann, () => suite.builds.killBuild({ ref }));
    const restart = (through: Clients) => through.builds.restartBuild({ ref, restartOf: `${id}` });
    expect(await fault(withoutBob(removeBob, restart))).toMatchObject(refused);
    expect(await builds()).toBe(1);
  });

  it("is not run by a starter who was removed meanwhile", async () => {
    const { text, removeBob, builds } = await shared(manifest);
    const { id } = await crons.create(suite.users.ann, { manifest: text });
    expect(await fault(withoutBob(removeBob, ({ crons: through }) => through.runCron({ id })))).toMatchObject(refused);
    expect(await builds()).toBe(0);
  });
});
