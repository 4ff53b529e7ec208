import { openDeliveries } from "../deliveries.mjs";
import { sum } from "./cost.mjs";

const deliveriesOfCase = 6_000;

/** @param {import("../growth.mjs").World} world @returns {Promise<import("../growth.mjs").Table>} */
export const growWebhooks = async (world) => {
  const deliveries = await openDeliveries(world, 1);
  const rows = [];
  for (const webhooks of [1, 10, 100]) {
    const id = await deliveries.namespaceWith(`webhooks${webhooks}`, webhooks);
    const benchCase = { title: "", namespaceIds: [id], perEvent: webhooks, lanes: webhooks, count: deliveriesOfCase };
    const { account, seconds, cpuMs } = await deliveries.deliver(benchCase);
    const bare = await deliveries.bare(benchCase);
    const rate = account.count / seconds;
    const ours = new Map([...cpuMs].filter(([name]) => !["receiver", "emitter"].includes(name)));
    rows.push([webhooks, rate, rate / bare, account.p50Ms, benchCase.count - account.count, sum(ours) / account.count]);
  }
  deliveries.close();
  return {
    title: "Webhooks of one namespace",
    about: `All webhooks receive each event, in order: ${deliveriesOfCase} deliveries, beside a bare loop of POSTs to the same receiver.`,
    columns: ["webhooks", "deliveries/s", "of a bare loop", "p50 ms under this load", "lost", "processor ms"],
    rows,
  };
};
