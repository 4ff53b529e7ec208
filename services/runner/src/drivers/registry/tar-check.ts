import { FetchFailed } from "@ci/kit/net/fetch-failed";

const blockBytes = 512;
const maxExtensionBytes = 1024 ** 2;
const maxRecords = 1_000;

export const cannotUnpack = (cause?: unknown): FetchFailed =>
  new FetchFailed("its layers cannot be unpacked", { cause });
const isSparse = (): FetchFailed => new FetchFailed("its layers contain sparse files");

interface Step {
  readonly bytes: number;
  readonly isRead: boolean;
}

const read = (bytes: number): Step => ({ bytes, isRead: true });
const skip = (bytes: number): Step => ({ bytes, isRead: false });
const padded = (bytes: number): number => Math.ceil(bytes / blockBytes) * blockBytes;
const isZero = (block: Buffer): boolean => block.every((byte) => byte === 0);

function numberIn(field: Buffer): number {
  if ((field[0]! & 0x80) !== 0) {
    const number = Number(BigInt(`0x${field.toString("hex")}`) & (2n ** BigInt(8 * field.length - 1) - 1n));
    if (!Number.isSafeInteger(number)) throw cannotUnpack();
    return number;
  }
  const text = field.toString("latin1");
  const digits = text.slice(text.search(/[^ \0]|$/)).split(/[ \0]/, 1)[0]!;
  if (!/^[0-7]*$/.test(digits)) throw cannotUnpack();
  return Number.parseInt(digits || "0", 8);
}

function requireChecksum(block: Buffer): void {
  let [unsigned, signed] = [0, 0];
  for (let at = 0; at < blockBytes; at++) {
    const byte = at >= 148 && at < 156 ? 0x20 : block[at]!;
    unsigned += byte;
    signed += byte > 127 ? byte - 256 : byte;
  }
  const given = numberIn(block.subarray(148, 156));
  if (given !== unsigned && given !== signed) throw cannotUnpack();
}

interface Extension {
  size?: number | undefined;
  path?: string;
}

function extensionIn(records: Buffer): Extension {
  const found: Extension = {};
  for (let at = 0, count = 0; at < records.length; count++) {
    if (count >= maxRecords) throw cannotUnpack();
    const space = records.indexOf(" ", at);
    const digits = records.toString("latin1", at, Math.max(at, Math.min(space, at + 8)));
    const end = at + Number(digits);
    if (!/^[1-9]\d{0,6}$/.test(digits) || end > records.length || records[end - 1] !== 0x0a) throw cannotUnpack();
    const [, key = "", value = ""] = /^([^=]*)=(.*)$/s.exec(records.toString("latin1", space + 1, end - 1)) ?? [];
    if (key.startsWith("GNU.sparse.")) throw isSparse();
    if (key === "size" && !/^\d{0,15}$/.test(value)) throw cannotUnpack();
    if (key === "size") found.size = value === "" ? undefined : Number(value);
    if (key === "path") found.path = value;
    at = end;
  }
  return found;
}

const textIn = (field: Buffer): string => field.toString("latin1").split("\0", 1)[0]!;
const partsOf = (path: string): string[] => path.split("/").filter((part) => part !== "" && part !== ".");

/** Engines make missing folders, and archives list a folder before what is in it. */
function madeByEntries(): (name: string) => number {
  let last: readonly string[] = [];
  return (name) => {
    const parts = partsOf(name);
    const common = parts.findIndex((part, at) => part !== last[at]);
    last = parts;
    return common < 0 ? 1 : parts.length - common;
  };
}

function nameIn(block: Buffer): string {
  const [name, prefix] = [textIn(block.subarray(0, 100)), textIn(block.subarray(345, 500))];
  const isPrefix = block.toString("latin1", 257, 263) === "ustar\0" || !/^[0-7 ]*$/.test(prefix);
  return isPrefix ? `${prefix}/${name}` : name;
}

export type CountEntry = (made: number, bytes: number) => void;

/** Walks through a tar archive in the way of Go's archive/tar, and stops at what that may understand in another way. */
function* stepsOfTar(count: CountEntry): Generator<Step, void, Buffer> {
  const madeBy = madeByEntries();
  let extension: Extension = {};
  let longName = "";
  let isExtended = false;
  for (;;) {
    const block = yield read(blockBytes);
    if (isZero(block)) break;
    requireChecksum(block);
    const type = String.fromCharCode(block[156]!);
    const ownSize = numberIn(block.subarray(124, 136));
    if (type === "S") throw isSparse();
    if (type === "x" || type === "g") {
      if (ownSize > maxExtensionBytes) throw cannotUnpack();
      const records = yield read(ownSize);
      yield skip(padded(ownSize) - ownSize);
      extension = type === "x" ? extensionIn(records) : {};
      if (type === "g") longName = "";
    } else if (type === "L") {
      if (ownSize > maxExtensionBytes) throw cannotUnpack();
      longName = textIn(yield read(ownSize));
      yield skip(padded(ownSize) - ownSize);
    } else if (type === "K") yield skip(padded(ownSize));
    else {
      const bytes = "123456".includes(type) ? 0 : (extension.size ?? ownSize);
      // An old kind of file that is a folder if its name, perhaps a longer one, ends with a slash.
      const isOldFolder = isExtended || /^(?:[^\0]*\/)?(?:\0|$)/.test(block.toString("latin1", 0, 100));
      if (type === "\0" && isOldFolder && bytes > 0) throw cannotUnpack();
      count(madeBy(longName || extension.path || nameIn(block)), blockBytes + padded(bytes));
      yield skip(padded(bytes));
      extension = {};
      longName = "";
    }
    isExtended = ["x", "L"].includes(type) || (isExtended && type === "K");
  }
  if (!isZero(yield read(blockBytes))) throw cannotUnpack();
  yield skip(Number.POSITIVE_INFINITY);
}

/** Returns a function that takes a tar archive in pieces, and throws a FetchFailed at a sparse file: engines write its holes. */
export function tarCheck(count: CountEntry): (piece: Buffer) => void {
  const steps = stepsOfTar(count);
  let step = steps.next().value!;
  let left = step.bytes;
  let parts: Buffer[] = [];
  return (piece) => {
    for (let at = 0; at < piece.length; ) {
      const bytes = Math.min(left, piece.length - at);
      if (step.isRead) parts.push(piece.subarray(at, at + bytes));
      at += bytes;
      left -= bytes;
      while (left === 0) {
        step = steps.next(Buffer.concat(parts)).value!;
        left = step.bytes;
        parts = [];
      }
    }
  };
}
