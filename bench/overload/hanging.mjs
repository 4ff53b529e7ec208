import { created, repeat } from "./client.mjs";
import { queuedManifest } from "./manifests.mjs";
import { startHanging, startReceiver } from "./receivers.mjs";

const count = 100;
const durationMs = 40_000;

/** Creates a namespace with a webhook for each URL. @param {import("./system.mjs").User} user @param {string[]} urls */
const report = async (user, urls) => {
  created(await user.post("/namespaces", { name: "n" }));
  for (const url of urls)
    created(await user.post(`/n/${user.username}/n/-/webhooks`, { payload_url: url, events: ["build.submitted"] }));
};

/** @type {import("../overload.mjs").Scenario} */
export const hanging = {
  name: "hanging",
  title: "100 receivers of webhooks hang",
  async run({ user }, { measure, took, fail }, scale) {
    const [bad, good] = [await user("bad"), await user("good")];
    let received = 0;
    const [hanging, receiver] = [
      await startHanging(),
      await startReceiver((_path, { created_at: at }) => {
        received++;
        took("a delivery", Date.now() - Date.parse(at));
      }),
    ];
    try {
      await report(
        bad,
        Array.from({ length: Math.ceil(count * scale) }, (_, nth) => `${hanging.url}/${nth}`),
      );
      await report(good, [receiver.url]);
      const manifest = `namespace: n\n${queuedManifest}`;
      await repeat(2, Math.max(durationMs * scale, 5_000), (nth) =>
        measure("POST /builds", () => [bad, good][nth].post("/builds", { manifest })),
      );
      if (received === 0) fail("another user's receiver got nothing");
    } finally {
      hanging.close();
      receiver.close();
    }
    return "p99 of submissions, and of the deliveries to another user's receiver";
  },
};
