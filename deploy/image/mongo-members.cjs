// The members of a replica set and their votes, for mongo.cjs. MongoDB changes one member at a time, and only the primary does.
const { readFileSync } = require("node:fs");

/**
 * The used part of the driver, and a member as MongoDB configures it.
 * @typedef {{ command: (command: object) => Promise<any> }} Admin
 * @typedef {{ _id: number, host: string, priority: number, votes?: number }} Member
 */

/** Returns the wanted members. */
const members = () => {
  const file = process.env.MONGO_MEMBERS_FILE;
  const text = file ? readFileSync(file, "utf8").trim() : process.env.MONGO_MEMBERS;
  if (!text) throw new Error("MONGO_MEMBERS is required");
  return text.split(",");
};

/** @param {string} host @param {number} id */
const memberOf = (host, id) => ({ _id: id, host, priority: 1 });

/** The first member becomes the first primary, because it creates the users. @param {string} host @param {number} id */
const firstMemberOf = (host, id) => ({ ...memberOf(host, id), priority: id === 0 ? 2 : 1 });

/** A member that still has that priority takes over whenever it returns: two elections instead of one. @param {Member} member */
const takesOver = ({ _id, priority }) => _id === 0 && priority === 2;

/** All read from the primary. One that reads from another confirms no write for some ten seconds when that one goes. */
const settings = { chainingAllowed: false };

/** @param {Admin} admin @param {any} config @param {Member[]} present */
const reconfigure = (admin, config, present) => {
  const next = { ...config, version: config.version + 1, members: present };
  return admin.command({
    replSetReconfig: { ...next, settings: { ...config.settings, ...settings } },
    maxTimeMS: 20_000,
  });
};

/** Returns the hosts of the members that are a primary or a secondary. @param {Admin} admin @returns {Promise<string[]>} */
const runningHosts = async (admin) => {
  const status = await admin.command({ replSetGetStatus: 1 });
  const states = /** @type {{ name: string, state: number }[]} */ (status.members);
  return states.filter(({ state }) => state === 1 || state === 2).map(({ name }) => name);
};

let votelessSince = 0;

/** Returns a running member without a vote, if there has been one for long. @param {Admin} admin @param {Member[]} present */
const longVoteless = async (admin, present) => {
  const running = await runningHosts(admin);
  const found = present.find(({ host, votes }) => votes === 0 && running.includes(host));
  votelessSince = found ? votelessSince || performance.now() : 0;
  const waitMs = Number(process.env.MONGO_VOTE_AFTER_MS || 600_000);
  return performance.now() - votelessSince >= waitMs ? found : undefined;
};

/** Adds, removes or changes one member, or the settings of sets of earlier versions, if this one is the primary. @param {Admin} admin */
const keepMembers = async (admin) => {
  if (!(await admin.command({ hello: 1 })).isWritablePrimary) {
    votelessSince = 0;
    return;
  }
  const { config } = await admin.command({ replSetGetConfig: 1 });
  const present = /** @type {Member[]} */ (config.members);
  const wanted = members();
  const missing = wanted.find((host) => !present.some((member) => member.host === host));
  const leaving = present.find(({ host }) => !wanted.includes(host));
  if (missing) {
    const nextId = Math.max(...present.map(({ _id }) => _id)) + 1;
    await reconfigure(admin, config, [...present, memberOf(missing, nextId)]);
    return console.log(`${missing} joins`);
  }
  const changed = leaving ?? (await longVoteless(admin, present)) ?? present.find(takesOver);
  if (!changed) return config.settings.chainingAllowed ? reconfigure(admin, config, present) : undefined;
  const others = present.filter((member) => member !== changed);
  await reconfigure(admin, config, leaving ? others : [...others, { ...changed, priority: 1, votes: 1 }]);
  const outcome = changed.votes === 0 ? "votes again" : "has the priority of the others";
  console.log(`${changed.host} ${leaving ? "leaves" : outcome}`);
};

/** Takes one vote, or reports that all are taken. A removed member would join again: others still list it. @param {Admin} admin @param {string[]} wanted */
const takeVote = async (admin, wanted) => {
  const { config, commitmentStatus } = await admin.command({ replSetGetConfig: 1, commitmentStatus: true });
  const present = /** @type {Member[]} */ (config.members);
  const voters = present.filter(({ host, votes }) => votes !== 0 && !wanted.includes(host));
  if (voters.length === 0) return commitmentStatus === true;
  const running = await runningHosts(admin);
  const missing = wanted.find((host) => !running.includes(host));
  if (missing) throw new Error(`${missing} is to stay in the set and must run, but does not`);
  const { me } = await admin.command({ hello: 1 });
  // Members that do not run lose their votes first: a majority of the voters has to accept each change.
  const next = voters.find(({ host }) => !running.includes(host)) ?? voters.find(({ host }) => host !== me);
  if (!next) await admin.command({ replSetStepDown: 60 });
  else
    await reconfigure(
      admin,
      config,
      present.map((one) => (one === next ? { ...one, votes: 0, priority: 0 } : one)),
    );
  console.log(next ? `${next.host} has no vote any more` : `${me} is to leave and is primary no longer`);
  return false;
};

module.exports = { firstMemberOf, keepMembers, members, settings, takeVote };
