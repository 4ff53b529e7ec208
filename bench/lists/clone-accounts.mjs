// Clones users, tokens, namespaces and memberships.
import { randomBytes } from "node:crypto";
import { nextId } from "@ci/kit/mongo/ids";
import { termsOf } from "@ci/kit/mongo/search";
import { digits, fill, isRare } from "./clone.mjs";

/**
 * @typedef {import("./systems.mjs").System} System
 * @typedef {{ namespaces: number, people: number, records: number, builds: number }} Sizes
 */

/** @param {string} start @param {number} n @param {number} count */
const called = (start, n, count) => `${start}${digits(n)}${isRare(n, count) ? "needle" : ""}`;

/** @param {System} system @param {number} count */
const cloneUsers = async ({ dbs: { namespaces: db } }, count) => {
  const mate = await db.collection("users").findOne({ username: "mate" });
  const first = await nextId(db, "users", count);
  await fill(db, "users", count, (n) => {
    const username = called("user", n, count);
    const email = `${username}@example.com`;
    return {
      ...mate,
      _id: first + n,
      username,
      usernameKey: username,
      email,
      emailKey: email,
      terms: termsOf([username]),
    };
  });
  return first;
};

/** @param {System} system @param {number} count */
const cloneTokens = async ({ dbs: { namespaces: db } }, count) => {
  const admin = await db.collection("users").findOne({ username: "admin" });
  const token = await db.collection("tokens").findOne({ name: "bench" });
  const first = await nextId(db, "tokens", count);
  const own = (/** @type {number} */ n) => ({
    userId: admin?._id,
    name: `token${digits(n)}`,
    hash: randomBytes(32).toString("hex"),
  });
  await fill(db, "tokens", count, (n) => ({ ...token, _id: first + n, ...own(n) }));
};

/** Creates as many roots as children of `team`. @param {System} system @param {number} count */
const cloneNamespaces = async ({ dbs: { namespaces: db } }, count) => {
  const root = await db.collection("namespaces").findOne({ path: "root0" });
  const part = await db.collection("namespaces").findOne({ path: "team/part0" });
  const firstRoot = await nextId(db, "namespaces", count);
  await fill(db, "namespaces", count, (n) => {
    const name = called("root", n, count);
    return { ...root, _id: firstRoot + n, rootId: firstRoot + n, name, path: name, terms: termsOf([name]) };
  });
  const firstPart = await nextId(db, "namespaces", count);
  await fill(db, "namespaces", count, (n) => {
    const name = called("part", n, count);
    const path = `team/${name}`;
    return { ...part, _id: firstPart + n, name, path, terms: termsOf([path]) };
  });
  return { teamId: part?.parentId, firstRoot };
};

/**
 * Creates collaborators of `team` and invites to it, roots that `joiner` collaborates on, and invites to `guest`.
 * @param {System} system
 * @param {{ count: number, firstUser: number, firstRoot: number, joinerId: number, guestId: number }} of
 */
const cloneMemberships = async ({ dbs: { namespaces: db } }, { count, firstUser, firstRoot, joinerId, guestId }) => {
  const joined = await db.collection("memberships").findOne({ joinedAt: { $exists: true } });
  const invite = await db.collection("memberships").findOne({ joinedAt: { $exists: false } });
  /** @param {(n: number) => object} make */
  const add = async (make) => {
    const first = await nextId(db, "invites", count);
    await fill(db, "memberships", count, (n) => ({ ...make(n), _id: first + n }));
  };
  const to = (/** @type {number} */ rootId) => ({ rootId, namespaceId: rootId });
  await add((n) => ({ ...joined, inviteeId: firstUser + n }));
  await add((n) => ({ ...invite, inviteeId: firstUser + count + n }));
  await add((n) => ({ ...joined, inviteeId: joinerId, ...to(firstRoot + n) }));
  await add((n) => ({ ...invite, inviteeId: guestId, ...to(firstRoot + n) }));
};

/**
 * @param {System} system
 * @param {Sizes} sizes
 * @param {{ joiner: { id: number }, guest: { id: number } }} users
 */
export const cloneAccounts = async (system, { namespaces, people }, { joiner, guest }) => {
  const firstUser = await cloneUsers(system, 2 * people);
  await cloneTokens(system, people);
  const { teamId, firstRoot } = await cloneNamespaces(system, namespaces);
  const ids = { firstUser, firstRoot, joinerId: joiner.id, guestId: guest.id };
  await cloneMemberships(system, { count: people, ...ids });
  return { teamId, firstRoot };
};
