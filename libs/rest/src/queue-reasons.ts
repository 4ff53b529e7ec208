/** Why a build is not running yet. */
export const queueReasons = [
  "waiting for a runner",
  "limit of user",
  "limit of namespace",
  "limit of group",
  "no runner for driver",
  "waits for approval",
] as const;

export type QueueReason = (typeof queueReasons)[number];
