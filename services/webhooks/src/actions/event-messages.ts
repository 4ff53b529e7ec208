import { pieceEnd } from "@ci/kit/bytes/characters";
import { goneElsewhere } from "@ci/kit/rpc/served-call";
import type { WatchEventsResponse } from "@ci/proto/webhooks/v1/webhooks";
import type { Context } from "../context.js";
import { maxPieceBytes, type StreamRecord } from "../store/stream-batches.js";

interface Piece {
  readonly text: string;
  readonly more: boolean;
}

/** Reads a payload at the pace of its reader. Holds one block, because the reader may take hours. */
async function* piecesOf({ longPayloads }: Context, userId: number, record: StreamRecord): AsyncGenerator<Piece> {
  for (let offset = 0; ; ) {
    const block = await longPayloads.block(userId, record, offset);
    if (!block && offset === 0) return;
    if (!block) throw goneElsewhere();
    const { bytes, isLast } = block;
    for (let at = 0; at < bytes.length; ) {
      const end = pieceEnd(bytes, at, maxPieceBytes);
      yield { text: bytes.toString("utf8", at, end), more: !isLast || end < bytes.length };
      at = end;
    }
    if (isLast) return;
    offset += bytes.length;
  }
}

/** Yields an event to a user: in one message, or a long one `inPieces`. Yields nothing if the event is gone. */
export async function* eventMessages(
  ctx: Context,
  userId: number,
  record: StreamRecord,
  inPieces: boolean,
): AsyncGenerator<WatchEventsResponse> {
  const { _id: position, kind, payload } = record;
  const message = (text: string, more = false) => ({ position, event: { kind, payload: text, more } });
  if (payload !== undefined) return yield message(payload);
  const texts: string[] = [];
  for await (const { text, more } of piecesOf(ctx, userId, record)) {
    if (inPieces) yield message(text, more);
    else texts.push(text);
  }
  if (texts.length > 0) yield message(texts.join(""));
}
