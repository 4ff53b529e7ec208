// Fills a collection with copies of a document that a service has written.

const batch = 1_000;

/** @typedef {import("./systems.mjs").Db} Db */

/** With fewer documents than this, rebuilding an index is not worth it. */
const many = 10_000;

/** Creates the indexes after `insert`, which takes a tenth of the time. @param {any} collection @param {() => Promise<unknown>} insert */
const indexedAfterwards = async (collection, insert) => {
  const indexes = (await collection.indexes()).filter((/** @type {any} */ { name }) => name !== "_id_");
  await collection.dropIndexes();
  await insert();
  await collection.createIndexes(indexes.map((/** @type {any} */ { v, ...index }) => index));
};

/**
 * Inserts `count` documents, two batches at a time. The services must not run meanwhile.
 * @param {Db} db
 * @param {string} collection
 * @param {number} count
 * @param {(n: number) => object} make the nth document, from 0
 */
export const fill = async (db, collection, count, make) => {
  let next = 0;
  const insert = async () => {
    while (next < count) {
      const from = next;
      next += batch;
      const docs = Array.from({ length: Math.min(batch, count - from) }, (_, index) => make(from + index));
      await db.collection(collection).insertMany(docs, { ordered: false });
    }
  };
  const both = () => Promise.all([insert(), insert()]);
  await (count < many ? both() : indexedAfterwards(db.collection(collection), both));
};

/** Formats a number with leading zeros, so that names sort like numbers. @param {number} n */
export const digits = (n) => String(n).padStart(7, "0");

/** How many records of each kind contain the rare word that the bench searches for. */
export const rare = 50;

/**
 * Reports whether the nth record is a rare one. They are evenly spaced, away from both ends.
 * @param {number} n
 * @param {number} count
 */
export const isRare = (n, count) => {
  const every = Math.floor(count / rare);
  return n % every === every >> 1 && n < every * rare;
};
