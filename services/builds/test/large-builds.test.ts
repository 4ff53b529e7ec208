import type { User } from "@ci/proto/namespaces/v1/accounts";
import { eventually } from "@ci/testkit/eventually";
import { gate } from "@ci/testkit/gate";
import { connect } from "@ci/testkit/identities";
import { BSON } from "mongodb";
import type { BuildDoc } from "../src/domain/build.js";
import { buildStore } from "../src/store/builds.js";
import { bootBuilds, clients, fault, manifest } from "./_suite.js";

const suite = bootBuilds();
const mib = 1024 ** 2;

/** Gives a user variables of 64 KiB, of which each takes 87 kB in a build. */
async function giveVariables(user: User, count: number): Promise<void> {
  const value = "v".repeat(64 * 1024);
  const create = (key: string) => suite.accounts.variables.createVariable({ namespace: "", key, value, mask: false });
  await Promise.all(Array.from({ length: count }, (_, n) => suite.as(user, () => create(`K${n}`))));
}

const tooLarge =
  "Manifest makes a build of more than 7 MiB; use fewer jobs, shorter commands, or fewer or shorter variables";

const namespacesOf = async (user: User) => {
  const { namespaces } = await suite.as(user, () => suite.accounts.namespaces.listNamespaces({ search: "" }));
  return namespaces.map(({ path }) => path);
};

it("a build that would be too large is refused before its namespace is made, and the check says the same", async () => {
  const { bob } = suite.users;
  await giveVariables(bob, 80);
  const job = (how: string) => `- {commands: ${how}}\n`;
  const jobs = job(`&c ["${"x".repeat(100_000)}"]`) + job("*c").repeat(8);
  const text = `namespace: fresh\ndriver: {type: os}\njobs:\n${jobs}`;
  expect((await fault(suite.submit(bob, text))).fields).toEqual({ manifest: [tooLarge] });
  expect(await namespacesOf(bob)).toEqual([]);
  const { errors } = await suite.as(bob, () => suite.builds.checkManifest({ manifest: text, tags: [], variables: {} }));
  expect(errors.map(({ message }) => message)).toEqual([tooLarge]);
  // The jobs that a manual build leaves out take no room.
  const left = text.replaceAll("commands: *c", "commands: *c, when: {event: push}");
  expect((await suite.submit(bob, left)).status).toBe("queued");
  expect(await namespacesOf(bob)).toEqual(["fresh"]);
});

it("large builds wait until they fit into 32 MiB together, and small ones do not wait for them", async () => {
  const { ann, eve } = suite.users;
  await giveVariables(ann, 57);
  const real = buildStore(suite.database(), () => undefined);
  const { pass, open } = gate();
  const held: BuildDoc[] = [];
  const insert: typeof real.insert = async (docs) => {
    if (docs[0]!.userId === ann.id) {
      held.push(...docs);
      await pass();
    }
    return real.insert(docs);
  };
  await using service = await suite.startService({ builds: { ...real, insert } });
  await using peer = connect(`127.0.0.1:${service.port}`);
  const { builds } = clients(peer);
  const submit = (user: User, text: string) =>
    suite.as(user, () => builds.submitBuild({ manifest: text, comment: "", tags: [], variables: {} }));
  const submitted = Array.from({ length: 12 }, () => submit(ann, manifest));
  await eventually(() => expect(held).toHaveLength(6));
  await submit(eve, manifest);
  expect(held.reduce((sum, doc) => sum + BSON.calculateObjectSize(doc), 0)).toBeLessThan(32 * mib);
  open();
  const numbers = (await Promise.all(submitted)).map(({ build }) => build!.number);
  expect(new Set(numbers).size).toBe(12);
});
