import { followDeletions, learnInto } from "@ci/access/follow-deletions";
import { cachingGrants } from "@ci/access/grants";
import { readers } from "@ci/kit/bus/rights";
import { blobs } from "@ci/kit/bytes/blobs";
import { deletionsIn, tendDeletions } from "@ci/kit/mongo/deletions";
import { guardedAgent } from "@ci/kit/net/guarded-agent";
import { host, type Service } from "@ci/kit/process/host";
import { ImageServiceDefinition } from "@ci/proto/images/v1/images";
import { AccountServiceDefinition } from "@ci/proto/namespaces/v1/accounts";
import { NamespaceServiceDefinition } from "@ci/proto/namespaces/v1/namespaces";
import { hasQemuImg } from "@ci/qcow2/qemu-img";
import { downloadClaims } from "./actions/claim-download.js";
import type { Config } from "./config.js";
import type { Context } from "./context.js";
import { onEvent } from "./events/on-event.js";
import { downloadImages } from "./loops/download-images.js";
import { findDownloads } from "./loops/find-downloads.js";
import { sweepBlobs } from "./loops/sweep-blobs.js";
import { imageHandlers } from "./rpc/index.js";
import { imageStore } from "./store/images.js";
import { makeIndexes } from "./store/indexes.js";
import { migrations } from "./store/migrations.js";

const hourMs = 3_600_000;
/** The longest rest of the loop that finds the downloads of a dead process. Others begin at once. */
const restMs = 16_000;

/** Starts the images service. Tests override parts of its context, such as the clock. */
export const start = (config: Config, overrides: Partial<Context> = {}): Promise<Service> =>
  host("images", config, async (h) => {
    await makeIndexes(h.db);
    h.migrate(migrations);
    const contents = blobs(h.db, "contents");
    await contents.ensureIndexes();
    const peer = h.connect(config.namespacesAddr);
    const guard = overrides.guard ?? config;
    const agent = guardedAgent({ ...guard, extraCa: config.extraCa });
    h.own({ [Symbol.asyncDispose]: () => agent.destroy() });
    const usesQemuImg = await hasQemuImg(config.path);
    if (!usesQemuImg) h.log.warn("qemu-img not found: new images get only the built-in check");
    // Images outlive their user, so only deleted namespaces are recorded.
    const deletions = deletionsIn(
      h.db,
      ({ id }) => ctx.images.release(id),
      () => ctx.now(),
    );
    await deletions.ensureIndexes();
    const learn = learnInto(deletions);
    const ctx: Context = {
      config,
      log: h.log,
      deletions,
      images: imageStore(h.db, h.relay(h.db.collection("images") as never), config),
      contents,
      accounts: cachingGrants(peer.client(AccountServiceDefinition), h.bus),
      namespaces: peer.client(NamespaceServiceDefinition),
      bus: h.bus,
      guard,
      agent,
      usesQemuImg,
      db: h.db,
      signal: h.signal,
      now: h.now,
      ...overrides,
    };
    const claim = downloadClaims(ctx);
    const downloads = Array.from({ length: config.downloadConcurrency }, () =>
      h.loop("download-images", hourMs, async () => {
        // A failed attempt may have scheduled a retry.
        if ((await downloadImages(ctx, claim)) > 0) finding.stir();
      }),
    );
    const download = () => {
      for (const { wake } of downloads) wake();
    };
    h.bus.onNudge("downloads", download);
    const finding = h.loop("find-downloads", 1_000, () => findDownloads(ctx, download), restMs);
    tendDeletions(h, deletions);
    followDeletions(h, ctx.accounts, (found) => learn(found.filter(({ kind }) => kind === "namespace")));
    h.loop("sweep-blobs", hourMs, () => sweepBlobs(ctx));
    await h.bus.subscribe("images", readers.images.kinds, onEvent(ctx));
    return (server) => server.add(ImageServiceDefinition, imageHandlers(ctx));
  });
