import type { components } from "@service-ci/client";

const known: Readonly<Record<components["schemas"]["Event"], true>> = {
  "build.submitted": true,
  "build.started": true,
  "build.finished": true,
  "build.tagged": true,
  "build.pinned": true,
  "build.unpinned": true,
  "invite.sent": true,
  "invite.accepted": true,
  "invite.rejected": true,
  namespaces: true,
  cron: true,
  images: true,
  objects: true,
  variables: true,
  ssh_keys: true,
};

export const eventKinds = Object.keys(known);
