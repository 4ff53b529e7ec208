// Submits builds through the REST API and follows them to their end.

/**
 * @typedef {import("../deploy/local/start/api.mjs").Api} Api
 * @typedef {{ status: string, output: string, url: string, startedAt: number, finishedAt: number }} Ended
 */

/**
 * Submits a build. JSON is YAML.
 * @param {Api} api
 * @param {object} manifest
 */
export const submit = async (api, manifest) =>
  /** @type {{ url: string, output_url: string }} */ (
    await api.json("POST", "/builds", { manifest: JSON.stringify(manifest) })
  );

/**
 * Follows a build's output to its end. Kills the build when the output matches `kill`.
 * @param {Api} api
 * @param {{ url: string, output_url: string }} build
 * @param {{ kill?: RegExp, onOutput?: (output: string) => void }} [options]
 * @returns {Promise<Ended>}
 */
export const follow = async (api, { url, output_url }, { kill, onOutput } = {}) => {
  let [output, status, killed] = ["", "", false];
  for await (const { event, data } of api.stream(output_url)) {
    if (event === "end") status = data.status;
    else output += data;
    onOutput?.(output);
    if (!killed && kill?.test(output)) {
      killed = true;
      await api.send("DELETE", url);
    }
  }
  const { started_at, finished_at } = await api.json("GET", url);
  return { status, output, url, startedAt: Date.parse(started_at), finishedAt: Date.parse(finished_at) };
};

/** @param {Ended} a @param {Ended} b */
export const overlap = (a, b) => a.startedAt <= b.finishedAt && b.startedAt <= a.finishedAt;
