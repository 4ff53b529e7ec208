import type { Event } from "@ci/proto/events/v1/events";
import type { Context } from "../context.js";
import type { NewRecord } from "../store/stream.js";
import { streamKeys } from "../streams/wakeups.js";

/** Drops duplicates, since the bus may hold an event twice, and events older than the log, which may have been pruned. */
function recent({ config, now }: Pick<Context, "config" | "now">, events: readonly Event[]): Event[] {
  const since = new Date(now().getTime() - config.eventLogMs);
  const seen = new Set<string>();
  return events.filter(({ id, at = since }) => {
    if (at < since || seen.has(id)) return false;
    seen.add(id);
    return true;
  });
}

/** Returns the user of an event's build. */
function userOf({ body }: Event): number | undefined {
  if (body?.$case === "build") return body.value.userId;
  return body?.$case === "buildTagged" ? body.value.build?.userId : undefined;
}

/** Reports whether somebody may read the event: a member of its namespace, or the user of a build who follows. */
async function isRead({ followed }: Pick<Context, "followed">, event: Event): Promise<boolean> {
  if (event.namespaceId !== undefined) return true;
  const userId = userOf(event);
  return userId !== undefined && (await followed.has(userId));
}

type Place = Pick<NewRecord, "namespaceId" | "userId" | "rootId">;

/** Says whose streams an event belongs to. Nobody reads those of a namespace that is gone. */
async function placesOf({ accounts }: Pick<Context, "accounts">, events: readonly Event[]): Promise<Place[]> {
  const namespaceIds = [...new Set(events.flatMap(({ namespaceId }) => namespaceId ?? []))];
  const { namespaces } =
    namespaceIds.length > 0 ? await accounts.resolve({ userIds: [], namespaceIds }) : { namespaces: [] };
  const byId = new Map(namespaces.map((namespace) => [namespace.id, namespace]));
  return events.map((event) => {
    const { namespaceId } = event;
    if (namespaceId === undefined) return { userId: userOf(event) };
    const namespace = byId.get(namespaceId);
    return { namespaceId, userId: namespace?.userId, rootId: namespace?.rootId };
  });
}

const keysOf = ({ namespaceId, userId, rootId }: Place): string[] => [
  ...(namespaceId === undefined ? [] : [streamKeys.namespace(namespaceId)]),
  ...(userId === undefined ? [] : [streamKeys.user(userId)]),
  ...(rootId === undefined ? [] : [streamKeys.root(rootId)]),
];

/** Appends events, in order, to the streams that users watch. Repeating it adds nothing. */
export async function recordStream(ctx: Context, events: readonly Event[]): Promise<void> {
  const wanted: { readonly event: Event; readonly eventId: string }[] = [];
  for (const event of recent(ctx, events)) if (await isRead(ctx, event)) wanted.push({ event, eventId: event.id });
  if (wanted.length === 0) return;
  const missing = await ctx.stream.withoutRecord(wanted);
  const payloads = await ctx.renderPayloads(missing.map(({ event }) => event));
  const places = await placesOf(
    ctx,
    wanted.map(({ event }) => event),
  );
  const records = missing.map((one, index): NewRecord => {
    const { id: eventId, kind, at = ctx.now() } = one.event;
    return { eventId, ...places[wanted.indexOf(one)], kind, payload: payloads[index]!, at };
  });
  await ctx.stream.append(records);
  ctx.streamWakeups.wake([...new Set(places.flatMap(keysOf))]);
}
