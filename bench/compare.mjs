// `npm run bench -- compare`: two running installations side by side, such as two versions or two settings. It uses nothing but
// their API, in rounds in which they take turns. Both need runners of the `os` driver with as many places as --places says, and
// REQUESTS_PER_MINUTE=0 and REQUESTS_AT_ONCE=0, because the benchmark acts as one user.
//   TOKENS="ci_... ci_..." npm run bench -- compare http://127.0.0.1:8080 http://127.0.0.1:8090
//   ... --places 4 --rounds 5 --image busybox:1.37    more places, more rounds, and builds of the docker driver too
import { parseArgs } from "node:util";
import { spreadOf } from "./all/results.mjs";
import { buildRows, requestMeasurements } from "./all/rows.mjs";
import { untilQuiet } from "./processes.mjs";

const options = /** @type {const} */ ({
  places: { type: "string", default: "2" },
  rounds: { type: "string", default: "3" },
  image: { type: "string" },
});

/** @param {string[]} args @param {string} [tokens] */
const read = (args, tokens = "") => {
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
  const given = tokens.split(/\s+/).filter(Boolean);
  const [places, rounds] = [Number(values.places), Number(values.rounds)];
  if (positionals.length !== 2 || !positionals.every((url) => URL.canParse(url)) || given.length !== 2)
    throw new Error("Name two URLs of installations, and in TOKENS a token for each of them, separated by a space.");
  if (![places, rounds].every((count) => Number.isInteger(count) && count > 0))
    throw new Error("--places and --rounds are numbers from 1 on.");
  const installations = positionals.map((url, index) => ({ url: new URL(url).origin, api: { token: given[index] } }));
  return { installations, places, rounds, image: values.image };
};

/** Compares the first installation with the second one, and prints the medians. @param {string[]} args @param {string} [tokens] */
export const compare = async (args, tokens) => {
  const { installations, places, rounds, image } = read(args, tokens);
  const [first, second] = await Promise.all(
    installations.map(async (installation) => [
      ...(await requestMeasurements(installation)),
      ...buildRows(installation, { image, places }),
    ]),
  );
  const values = first.map(() => /** @type {number[][]} */ ([[], []]));
  for (let round = 0; round < rounds; round++) {
    console.log(`Round ${round + 1} of ${rounds} ...`);
    for (const [index, taken] of values.entries()) {
      const pair = [first, second].map((measurements, at) => ({ measurement: measurements[index], taken: taken[at] }));
      for (const { measurement, taken } of round % 2 === 0 ? pair : pair.reverse()) {
        await untilQuiet();
        taken.push((await measurement.ours()).value);
      }
    }
  }
  for (const [index, [ours, theirs]] of values.entries()) {
    const { title, unit, less } = first[index];
    const ratio = spreadOf(ours.map((value, round) => value / theirs[round]));
    const [a, b] = [ours, theirs].map((one) => `${spreadOf(one).median.toFixed(1)}${unit}`);
    const better = less ? "a smaller one is better" : "a greater one is better";
    console.log(
      `${title}: ${a} and ${b}; ratio ${ratio.median.toFixed(2)} (${ratio.min.toFixed(2)} to ${ratio.max.toFixed(2)}; ${better})`,
    );
  }
};
