// Clones variables, objects, keys, images, webhooks and deliveries.
import { randomUUID } from "node:crypto";
import { nextId } from "@ci/kit/mongo/ids";
import { termsOf } from "@ci/kit/mongo/search";
import { encrypt } from "@ci/kit/security/secrets";
import { digits, fill, isRare } from "./clone.mjs";

/**
 * @typedef {import("./systems.mjs").System} System
 * @typedef {{ teamId: number, firstRoot: number, people: number }} Places
 */

/** The minimum for a list of four pages. */
const fourPages = 200;

/** Returns the number of records in the roots that `joiner` collaborates on: a tenth, but several pages. @param {number} count */
const countInRoots = (count) => Math.max(fourPages, count / 10);

/**
 * Copies the only document of a collection: `count` times into the same namespace, and some into each of the other roots.
 * @param {{ db: import("./systems.mjs").Db, collection: string, field: "name" | "key", start: string }} kind
 * @param {number} count
 * @param {Places} places
 * @param {(id: number) => object} own further fields of a copy
 */
const cloneScoped = async ({ db, collection, field, start }, count, { firstRoot, people }, own = () => ({})) => {
  const template = await db.collection(collection).findOne({});
  const all = count + countInRoots(count);
  const first = await nextId(db, collection, all);
  await fill(db, collection, all, (n) => {
    const [at, among] = n < count ? [n, count] : [n - count, all - count];
    const name = `${start}${digits(n)}${isRare(at, among) ? "needle" : ""}`;
    const rootId = firstRoot + (at % people);
    const place = n < count ? {} : { namespaceId: rootId, rootId, scope: `n${rootId}` };
    return { ...template, _id: first + n, ...place, [field]: name, terms: termsOf([name]), ...own(first + n) };
  });
};

/** @param {System} system @param {Places} places @param {number} count */
const cloneWebhooks = async ({ dbs: { webhooks: db } }, { teamId }, count) => {
  const webhook = await db.collection("webhooks").findOne({ namespaceId: teamId });
  const first = await nextId(db, "webhooks", count);
  await fill(db, "webhooks", count, (n) => {
    const payloadUrl = `${webhook?.payloadUrl}${digits(n)}`;
    return { ...webhook, _id: first + n, payloadUrl, targetKey: payloadUrl };
  });
  const delivery = await db.collection("deliveries").findOne({ status: "delivered" });
  const firstDelivery = await nextId(db, "deliveries", count);
  const fresh = () => ({ deliveryId: randomUUID(), eventId: randomUUID() });
  await fill(db, "deliveries", count, (n) => ({ ...delivery, _id: firstDelivery + n, ...fresh() }));
};

/**
 * @param {System} system
 * @param {import("./clone-accounts.mjs").Sizes} sizes
 * @param {Places} places
 */
export const cloneRecords = async (system, { records, people }, places) => {
  const { dbs, keyring } = system;
  const db = dbs.namespaces;
  const sealed = (/** @type {string} */ kind) => (/** @type {number} */ id) => ({
    sealed: encrypt(keyring, "a secret", { kind, id }),
  });
  await cloneScoped(
    { db, collection: "variables", field: "key", start: "SETTING_" },
    records,
    places,
    sealed("variable"),
  );
  await cloneScoped({ db, collection: "keys", field: "name", start: "deploy-" }, records, places, sealed("key"));
  await cloneScoped({ db, collection: "objects", field: "name", start: "thing-" }, records, places);
  await cloneScoped({ db: dbs.images, collection: "images", field: "name", start: "disk-" }, records, places);
  await cloneScoped({ db: dbs.builds, collection: "crons", field: "name", start: "daily-" }, records, places);
  await cloneWebhooks(system, places, people);
};
