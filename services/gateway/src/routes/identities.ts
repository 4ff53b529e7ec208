import { identityJson, identitySchema } from "@ci/rest/identity";
import { paged } from "../http/page.js";
import { action } from "../http/row.js";

export const listIdentities = action({
  summary: "The caller's OpenID Connect identities",
  paged: true,
  returns: identitySchema,
  async run({ accounts, config }, { page }) {
    const { identities, page: info } = await accounts.listIdentities({ page });
    const items = identities.map((identity) => identityJson(identity, { url: config.publicUrl }));
    return paged(items, info);
  },
});

export const deleteIdentity = action({
  summary: "Disconnects an identity: the caller can no longer sign in with it, and its sessions end",
  changes: "identity",
  async run({ accounts, sessions }, { params: { id } }) {
    await accounts.deleteIdentity({ id });
    await sessions.expire();
  },
});
