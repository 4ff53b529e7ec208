import { z } from "zod";

/** The events that webhooks and event streams carry, in the order in which every list of them is returned. */
export const eventNames = [
  "build.submitted",
  "build.started",
  "build.finished",
  "build.tagged",
  "build.pinned",
  "build.unpinned",
  "invite.sent",
  "invite.accepted",
  "invite.rejected",
  "namespaces",
  "cron",
  "images",
  "objects",
  "variables",
  "ssh_keys",
] as const;

export type EventName = (typeof eventNames)[number];

export const eventSchema = z.enum(eventNames).meta({ id: "Event", description: "Name of an event" });
