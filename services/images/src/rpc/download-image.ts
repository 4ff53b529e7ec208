import { targetCheck } from "@ci/kit/net/guarded-agent";
import { userOf } from "@ci/kit/rpc/caller";
import { validated } from "@ci/kit/rpc/validated";
import { encrypt } from "@ci/kit/security/secrets";
import { checkTarget, createImage } from "../actions/create-image.js";
import type { Context, Handlers } from "../context.js";
import { downloadUrlComplaints, maskedUrl } from "../domain/download-url.js";
import { toImage } from "../domain/image.js";

export const downloadImage = (ctx: Context): Handlers["downloadImage"] =>
  validated(async ({ name, namespace, downloadUrl }, { caller }) => {
    const userId = userOf(caller);
    const { keyring } = ctx.config;
    const blocked = await targetCheck(downloadUrl, ctx.config);
    return {
      complaints: {
        ...(await checkTarget(ctx, userId, { name, namespace })).complaints,
        // A request without a URL is an upload without a file.
        ...(downloadUrl === ""
          ? { file: ["File field required"] }
          : { download_url: downloadUrlComplaints(downloadUrl, blocked) }),
      },
      async change() {
        const now = ctx.now();
        const doc = await createImage(ctx, userId, { name, namespace }, (id) => ({
          download: { source: maskedUrl(downloadUrl), createdAt: now, received: 0 },
          fetch: { sealedUrl: encrypt(keyring, downloadUrl, { kind: "image", id }), failures: 0, dueAt: now },
        }));
        ctx.bus.nudge("downloads");
        return { image: toImage(doc) };
      },
    };
  });
