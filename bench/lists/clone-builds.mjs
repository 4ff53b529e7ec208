// Clones builds: nearly all in one namespace, a tenth in the roots that `joiner` collaborates on.
import { nextId, nextIds } from "@ci/kit/mongo/ids";
import { exactTerm, termsOf } from "@ci/kit/mongo/search";
import { encrypt } from "@ci/kit/security/secrets";
import { fill, isRare } from "./clone.mjs";

/** Builds are a minute apart, the last one now. */
const apartMs = 60_000;
const tenth = 10;

/**
 * Returns the embedded records of a copy with their own ids.
 * @param {any} build
 * @param {number} n
 * @param {import("./systems.mjs").System["keyring"]} keyring
 */
const parts = (build, n, keyring) => {
  const numbered = (/** @type {any[]} */ list) =>
    list.map((one, index) => ({ ...one, id: one.id + (n + 1) * list.length + index }));
  const jobs = numbered(build.jobs);
  const jobAt = (/** @type {number} */ id) => jobs[build.jobs.findIndex((/** @type {any} */ job) => job.id === id)].id;
  return {
    jobs,
    objects: numbered(build.objects),
    variables: numbered(build.variables).map((one) => ({
      ...one,
      sealed: encrypt(keyring, "bench", { kind: "build variable", id: one.id }),
    })),
    artifacts: numbered(build.artifacts).map((one) => ({ ...one, jobId: jobAt(one.jobId), entryId: one.id })),
  };
};

/**
 * @param {import("./systems.mjs").System} system
 * @param {number} count
 * @param {import("./clone-records.mjs").Places} places
 */
export const cloneBuilds = async ({ dbs: { builds: db }, keyring }, count, { firstRoot, people }) => {
  const build = /** @type {any} */ (await db.collection("builds").findOne({}));
  const sizes = { job: build.jobs.length, object: 1, variable: 1, artifact: 1 };
  const taken = Object.fromEntries(Object.entries(sizes).map(([name, each]) => [name, 2 * each * (count + 1)]));
  const ids = await nextIds(db, "ids", { build: count, tag: 2 * count, ...taken });
  const firstNumber = await nextId(db, `builds/${build.userId}`, count);
  const [tag] = build.tags;
  await fill(db, "builds", count, (n) => {
    const [_id, found] = [ids.build + n, isRare(n, count)];
    const createdAt = new Date(build.createdAt.getTime() - (count - n) * apartMs);
    const names = ["nightly", found ? `needle${n}` : `build${n}`, ...(found ? ["rarely"] : [])];
    const tags = names.map((name, index) => ({ ...tag, id: ids.tag + 2 * n + index, buildId: _id, name, createdAt }));
    const rootId = firstRoot + (n % people);
    const place = n % tenth === 0 ? { namespaceId: rootId, rootId } : {};
    const own = {
      number: firstNumber + n,
      status: found ? "failed" : "passed",
      createdAt,
      tags,
      tagTerms: [...termsOf(names), ...names.map(exactTerm)],
    };
    const made = { ...build, _id, ...own, ...place, ...parts(build, n, keyring) };
    // The object is in `team`: builds elsewhere do not find it.
    if (place.rootId) made.objects = made.objects.map((/** @type {any} */ { objectId, ...one }) => one);
    return made;
  });
  return firstNumber;
};
