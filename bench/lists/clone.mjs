// Fills a collection with copies of one document that the services have written.

const batch = 1_000;

/** @typedef {import("./systems.mjs").Db} Db */

/** Fewer documents than this are not worth making an index anew. */
const many = 10_000;

/** Makes the indexes of a collection once `insert` is over, which takes a tenth of the time. @param {any} collection @param {() => Promise<unknown>} insert */
const indexedAfterwards = async (collection, insert) => {
  const indexes = (await collection.indexes()).filter((/** @type {any} */ { name }) => name !== "_id_");
  await collection.dropIndexes();
  await insert();
  await collection.createIndexes(indexes.map((/** @type {any} */ { v, ...index }) => index));
};

/**
 * Inserts `count` documents, in batches of which two are under way at a time. The services must not run meanwhile.
 * @param {Db} db
 * @param {string} collection
 * @param {number} count
 * @param {(n: number) => object} make the document at a place, from 0
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

/** A number as text of one length, so that the order of names is the order of numbers. @param {number} n */
export const digits = (n) => String(n).padStart(7, "0");

/** How many records of a kind hold the word that the bench searches for, however many there are. */
export const rare = 50;

/**
 * Whether the record at a place is one of the rare ones; they lie evenly apart, away from both ends.
 * @param {number} n
 * @param {number} count
 */
export const isRare = (n, count) => {
  const every = Math.floor(count / rare);
  return n % every === every >> 1 && n < every * rare;
};
