import { fixedLimit } from "@ci/kit/process/fixed-limit";
import { limitedText } from "./limited-text.js";
import { createMask } from "./mask.js";
import { type Pieces, pieces } from "./pieces.js";
import type { Secrets } from "./secrets.js";
import { inSlices } from "./slices.js";
import { masked } from "./texts.js";

export interface Piece {
  readonly offset: number;
  readonly text: string;
}

export interface Output {
  /** Resolves when more may be written. Throws when pieces can no longer be sent. */
  write(bytes: Uint8Array): Promise<void>;
  line(text: string): void;
  /** Adds a last line, even beyond the limit. Returns the rest, to be sent with the end of the job. */
  finish(lastLine?: string): Promise<Piece>;
}

export interface OutputOptions {
  readonly offset: number;
  readonly limitBytes: number;
  readonly secrets: Secrets;
  send(piece: Piece): Promise<unknown>;
  readonly flushAfterMs?: number | undefined;
}

const newline = 0x0a;
const maxPieceBytes = fixedLimit({
  max: 256 * 1024,
  unit: "bytes",
  about: "output in one message to the builds service",
  effect: "the rest follows in the next message",
});
/** The job waits while this much is unsent. */
const maxWaitingBytes = fixedLimit({
  max: 512 * 1024,
  unit: "bytes",
  about: "output of a job that is not sent yet",
  effect: "the job waits",
});

/** Masks secrets, cleans up the text (UTF-8 without NUL), truncates it and sends it in pieces. */
export function jobOutput({ limitBytes, secrets, send, offset, flushAfterMs = 50 }: OutputOptions): Output {
  const mask = createMask(secrets);
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const waiting = pieces();
  const kept = limitedText(waiting, limitBytes, secrets);
  const sender = pieceSender(waiting, offset, send);
  let wroteLines = true;
  let timer: NodeJS.Timeout | undefined;

  const decode = (bytes: Uint8Array, more: boolean) =>
    Buffer.from(decoder.decode(bytes, { stream: more }).replaceAll("\0", "NUL"));

  const hide = (bytes: Uint8Array) => {
    if (!kept.isTruncated()) kept.keep(decode(mask.write(bytes), true));
  };
  const slices = secrets.words.empty
    ? { add: (bytes: Uint8Array) => void hide(bytes), done: undefined }
    : inSlices(hide);

  function drainTo(maxBytes: number): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    return sender.drainTo(maxBytes);
  }

  function soon(afterMs: number): void {
    if (waiting.bytes() >= maxPieceBytes) void drainTo(0);
    else if (waiting.bytes() > 0 && !sender.isBusy()) timer ??= setTimeout(() => void drainTo(0), afterMs);
  }

  /** Less urgent than a job's own output; it may go with the end. */
  const soonAfterLine = () => soon(5 * flushAfterMs);

  return {
    async write(bytes) {
      sender.throwFailure();
      if (kept.isTruncated() || bytes.length === 0) return;
      wroteLines = bytes.at(-1) === newline;
      await slices.add(bytes);
      soon(flushAfterMs);
      if (waiting.bytes() >= maxWaitingBytes) await sender.idle();
      sender.throwFailure();
    },
    line(text) {
      const hidden = slices.add(Buffer.from(wroteLines ? `${text}\n` : `\n${text}\n`));
      wroteLines = true;
      const send = () => {
        if (kept.isTruncated()) void kept.addBeyond(text).then(soonAfterLine);
        else soonAfterLine();
      };
      if (hidden) void hidden.then(send);
      else send();
    },
    async finish(lastLine) {
      const last = lastLine === undefined ? undefined : await masked(secrets, lastLine);
      await slices.done?.();
      kept.keep(decode(mask.end(), true));
      kept.keep(decode(new Uint8Array(), false));
      await kept.linesAdded();
      if (last !== undefined) kept.addLine(last);
      await sender.idle();
      while (!sender.hasFailed() && waiting.bytes() > maxPieceBytes) await drainTo(maxPieceBytes);
      clearTimeout(timer);
      sender.throwFailure();
      return { offset: sender.sentTo(), text: waiting.take(maxPieceBytes).toString() };
    },
  };
}

/** Sends waiting text, one piece at a time so that pieces stay in order. Keeps the first failure. */
function pieceSender(waiting: Pieces, offset: number, send: OutputOptions["send"]) {
  let sentTo = offset;
  let sending: Promise<void> = Promise.resolve();
  let busy = false;
  let failure: { error: unknown } | undefined;

  async function sendDownTo(maxBytes: number): Promise<void> {
    try {
      while (waiting.bytes() > maxBytes) {
        const bytes = waiting.take(maxPieceBytes);
        await send({ offset: sentTo, text: bytes.toString() });
        sentTo += bytes.length;
      }
    } catch (error) {
      failure ??= { error };
    }
    busy = false;
  }

  return {
    sentTo: () => sentTo,
    isBusy: () => busy,
    idle: () => sending,
    hasFailed: () => failure !== undefined,
    throwFailure(): void {
      if (failure) throw failure.error;
    },
    drainTo(maxBytes: number): Promise<void> {
      if (!busy) {
        busy = true;
        sending = sendDownTo(maxBytes);
      }
      return sending;
    },
  };
}
