import { FetchFailed } from "@ci/kit/net/fetch-failed";
import { parseAllow } from "@ci/kit/net/guard";
import { guardedAgent } from "@ci/kit/net/guarded-agent";
import { registryClient } from "./client.js";
import { explained } from "./explained.js";
import { placeOf } from "./place.js";

const why = async (image: string, reason: string): Promise<string> => {
  const resolver = () => Promise.reject(new FetchFailed(reason));
  const agent = guardedAgent({ allow: parseAllow(""), resolver });
  const client = registryClient(agent, placeOf(image), new AbortController().signal);
  const failed = client.get("manifests/1", { headers: {}, timeoutMs: 60_000 });
  return failed.then(
    () => "reached",
    (error: FetchFailed) => explained(error),
  );
};

const advice = "check the image's registry, and the name servers of the runner's machine";

test.each([
  ["busybox:1", "name not found", `name not found: registry-1.docker.io; ${advice}`],
  ["r.example:5000/a:1", "name lookup failed", `name lookup failed: r.example; ${advice}`],
  ["127.0.0.1:5000/a:1", "name not found", "address not allowed"],
])("the failed pull of %s (%s) says which host, and what to check", async (image, reason, text) => {
  expect(await why(image, reason)).toBe(text);
});
