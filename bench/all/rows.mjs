// The figures of `npm run bench -- all`, each with its reference.
import { manifest } from "../trivial-build.mjs";
import { clientOf } from "./client.mjs";
import { repeat, runToEnd } from "./load.mjs";

/**
 * A figure (Measurement), and a figure with its reference (Row). `ours` and `reference` measure once. `less` says that a smaller value is better.
 * @typedef {{ value: number, operations?: number, note?: string }} Measured
 * @typedef {{ id: string, title: string, unit: string, less?: boolean, ours: () => Promise<Measured> }} Measurement
 * @typedef {Measurement & { referenceTitle: string, reference: () => Promise<number> }} Row
 * @typedef {{ url: string, api: { token: string } }} Installation
 * @typedef {import("./world.mjs").World} World
 */

const durationMs = 4_000;
const listed = 25;
const os = manifest("  type: os");
/** No runner serves qemu here, so these builds stay queued. */
const queued = manifest("  type: qemu\n  image: none");

/**
 * The figures of requests. `clients` and `bytes`, the size of a response, describe what a reference must do.
 * @param {Installation} installation
 * @returns {Promise<(Measurement & { clients: number, bytes?: number })[]>}
 */
export const requestMeasurements = async ({ url, api }) => {
  const client = clientOf(url, api.token);
  for (let n = 0; n < listed; n++) await buildToEnd(client, os);
  const { url: one } = await client.json("GET", "/builds").then(([first]) => first);
  const path = new URL(one).pathname;
  const sizeOf = async (/** @type {string} */ at) => JSON.stringify(await client.json("GET", at)).length;
  const list = "/builds?status=passed";
  const [oneBytes, listBytes] = [await sizeOf(path), await sizeOf(list)];

  /** @param {number} clients */
  const submit = (clients) => ({
    id: `submit-${clients}`,
    title: `POST /builds, ${clients} at once`,
    unit: "/s",
    clients,
    async ours() {
      const { perSecond, operations, p99Ms } = await repeat(clients, durationMs, () =>
        client.send("POST", "/builds", { manifest: queued }),
      );
      return { value: perSecond, operations, note: `p99 ${p99Ms.toFixed(0)} ms` };
    },
  });

  /** @param {string} id @param {string} title @param {string} at @param {number} bytes */
  const read = (id, title, at, bytes) => ({
    ...{ id, title, unit: "/s", clients: 32, bytes },
    async ours() {
      const { perSecond, operations } = await repeat(32, durationMs, () => client.send("GET", at));
      return { value: perSecond, operations };
    },
  });

  return [
    ...[1, 8, 32].map(submit),
    read("get", "GET one finished build, 32 at once", path, oneBytes),
    read("list", `GET a list of ${listed} builds, 32 at once`, list, listBytes),
    read("list-queued", `GET a list of ${listed} queued builds, 32 at once`, "/builds?status=queued", listBytes),
  ];
};

/** @param {World} world @param {{ port: number }} echo @returns {Promise<Row[]>} */
export const requestRows = async (world, echo) => {
  const bare = clientOf(`http://127.0.0.1:${echo.port}`);
  const insert = () => bare.send("POST", "/insert", { manifest: queued });
  const answer = (/** @type {number} */ bytes) => bare.send("GET", `/echo?bytes=${bytes}`);
  return (await requestMeasurements(world)).map(({ clients, bytes, ...measurement }) => ({
    ...measurement,
    referenceTitle: bytes === undefined ? "express, gRPC and an insert" : "express and gRPC, as many bytes",
    reference: async () =>
      (await repeat(clients, durationMs, () => (bytes === undefined ? insert() : answer(bytes)))).perSecond,
  }));
};

/** @param {import("./client.mjs").Client} client @param {string} text */
const buildToEnd = async (client, text) => {
  const { output_url } = await client.json("POST", "/builds", { manifest: text });
  const status = await client.follow(new URL(output_url).pathname);
  if (status !== "passed") throw new Error(`${output_url}: the build ended as ${status}.`);
};

/**
 * Builds of one trivial job: how long one takes, and how many end in a minute.
 * @param {Installation} installation
 * @param {{ id: string, title: string, text: string, places: number, referenceTitle: string, bare: () => Promise<void> }} kind
 * @returns {Row[]}
 */
const buildsOf = ({ url, api }, { id, title, text, places, referenceTitle, bare }) => {
  const client = clientOf(url, api.token);
  const once = () => buildToEnd(client, text);
  return [
    {
      id,
      title: `${title}, from POST to its end`,
      unit: " ms",
      less: true,
      referenceTitle,
      async ours() {
        const { p50Ms, operations } = await repeat(1, durationMs, once);
        return { value: p50Ms, operations };
      },
      reference: async () => (await repeat(1, durationMs, bare)).p50Ms,
    },
    {
      id: `${id}-minute`,
      title: `${title}, ${places} at once`,
      unit: "/min",
      referenceTitle,
      async ours() {
        const { perSecond, operations } = await repeat(2 * places, 2 * durationMs, once);
        return { value: perSecond * 60, operations };
      },
      reference: async () => (await repeat(places, durationMs, bare)).perSecond * 60,
    },
  ];
};

/** @param {Installation} installation @param {{ image: string | undefined, places: number }} options @returns {Row[]} */
export const buildRows = (installation, { image, places }) => [
  ...buildsOf(installation, {
    ...{ id: "os", title: "a trivial build of the os driver", text: os, places, referenceTitle: "a bare `sh -c true`" },
    bare: () => runToEnd("/bin/sh", ["-c", "true"]),
  }),
  ...(image
    ? buildsOf(installation, {
        ...{
          id: "docker",
          title: "a trivial build of the docker driver",
          places,
          referenceTitle: "a bare `docker run --rm`",
        },
        text: manifest(`  type: docker\n  image: ${image}\n  workspace: /build`),
        bare: () => runToEnd("docker", ["run", "--rm", image, "/bin/sh", "-c", "true"]),
      })
    : []),
];

/** @param {import("../deliveries.mjs").Deliveries} deliveries @returns {Row[]} */
export const deliveryRows = ({ cases, deliver, bare }) => [
  .../** @type {const} */ (["single", "fan", "spread"]).map((id) => ({
    id: `deliver-${id}`,
    title: `deliveries to ${cases[id].title}, in order`,
    unit: "/s",
    referenceTitle: "a bare POST loop",
    async ours() {
      const { account, seconds } = await deliver(cases[id]);
      if (account.count < cases[id].count)
        throw new Error(`${cases[id].count - account.count} deliveries are missing.`);
      return { value: account.count / seconds, operations: account.count };
    },
    reference: () => bare(cases[id]),
  })),
];
