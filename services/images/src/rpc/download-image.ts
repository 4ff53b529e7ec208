import { targetCheck } from "@ci/kit/net/guarded-agent";
import { refuse } from "@ci/kit/rpc/refuse";
import { encrypt } from "@ci/kit/security/secrets";
import type { Context, Handlers } from "../context.js";
import { createImage, wishComplaints } from "../create.js";
import { downloadUrlComplaints, shownUrl } from "../domain/download-url.js";
import { toImage } from "../domain/image.js";
import { userOf } from "./see.js";

export const downloadImage =
  (ctx: Context): Handlers["downloadImage"] =>
  async ({ name, namespace, downloadUrl }, { caller }) => {
    const userId = userOf(caller);
    const { keyring } = ctx.config;
    const blocked = await targetCheck(downloadUrl, ctx.config);
    refuse({
      ...(await wishComplaints(ctx, userId, { name, namespace })),
      // Without a URL the request is an upload that brought no file.
      ...(downloadUrl === ""
        ? { file: ["File field required"] }
        : { download_url: downloadUrlComplaints(downloadUrl, blocked) }),
    });
    const now = ctx.now();
    const doc = await createImage(ctx, userId, { name, namespace }, (id) => ({
      download: { source: shownUrl(downloadUrl), createdAt: now, received: 0 },
      fetch: { sealedUrl: encrypt(keyring, downloadUrl, { kind: "image", id }), failures: 0, dueAt: now },
    }));
    ctx.bus.nudge("downloads");
    return { image: toImage(doc) };
  };
