import { limitOf } from "@ci/testkit/quotas";
import { cronsOf } from "./_crons.js";
import { bootBuilds, fault, manifest } from "./_suite.js";

const max = 3;
const suite = bootBuilds({
  repositoriesPerUser: limitOf("Repositories", "user", max),
  cronsPerUser: limitOf("Cron jobs", "user", max),
});
const crons = cronsOf(suite);
const many = Array.from({ length: 4 * max }, (_, nth) => nth);
const created = (results: PromiseSettledResult<unknown>[]) => results.filter(({ status }) => status === "fulfilled");

it("concurrent requests create as many cron jobs as a user may have, in all namespaces together", async () => {
  const { ann, bob } = suite.users;
  const manifestIn = (nth: number) => (nth % 2 === 0 ? manifest : `namespace: made${manifest}`);
  await suite.accounts.aNamespace(ann, "made");
  const creating = many.map((nth) => crons.create(ann, { name: `c${nth}`, manifest: manifestIn(nth) }));
  expect(created(await Promise.allSettled(creating))).toHaveLength(max);
  const complaint = {
    code: "invalid",
    fields: { cron_jobs: ["Cron jobs cannot exceed 3 per user; delete one first"] },
  };
  expect(await fault(crons.create(ann, { name: "more" }))).toMatchObject(complaint);
  await crons.create(bob, { name: "c0" });
  const [first] = (await crons.list(ann)).crons;
  await crons.remove(ann, first!.id);
  await crons.create(ann, { name: "more" });
  expect(await fault(crons.create(ann, { name: "most" }))).toMatchObject(complaint);
});

it("concurrent requests add as many repositories as a user may have", async () => {
  const { ann } = suite.users;
  const { id: namespaceId } = await suite.accounts.aNamespace(ann, "hooked");
  const request = { namespaceId, provider: "github", secret: "hush", accessToken: "" };
  const add = (nth: number) =>
    suite.as(ann, () =>
      suite.repositories.createRepository({ ...request, url: `https://github.com/octo/r${nth}.git` }),
    );
  const results = await Promise.allSettled(many.map(add));
  expect(created(results)).toHaveLength(max);
  const complaint = {
    code: "invalid",
    fields: { repositories: ["Repositories cannot exceed 3 per user; delete one first"] },
  };
  expect(await fault(add(20))).toMatchObject(complaint);
  const { repositories } = await suite.as(ann, () =>
    suite.repositories.listRepositories({ namespaceId, page: undefined }),
  );
  await suite.as(ann, () => suite.repositories.deleteRepository({ namespaceId, id: repositories[0]!.id }));
  await add(20);
});
