const frameMagic = 0xfd2fb528;
const isSkippable = (magic: number): boolean => magic >>> 4 === 0x184d2a5;

/** Reports whether bytes begin with a frame of zstd, or with a skippable one. */
export function isZstd(head: Buffer): boolean {
  if (head.length < 4) return false;
  const magic = head.readUInt32LE(0);
  return magic === frameMagic || isSkippable(magic);
}

interface Step {
  readonly bytes: number;
  readonly isHeader: boolean;
}

const header = (bytes: number): Step => ({ bytes, isHeader: true });
const content = (bytes: number): Step => ({ bytes, isHeader: false });

/** Walks through a frame (RFC 8878, 3.1). What is none goes on to the end, for the decompressor to refuse. */
function* stepsOfFrame(): Generator<Step, void, Buffer> {
  const magic = (yield header(4)).readUInt32LE(0);
  if (isSkippable(magic)) return void (yield content((yield header(4)).readUInt32LE(0)));
  if (magic !== frameMagic) return void (yield content(Number.POSITIVE_INFINITY));
  const descriptor = (yield header(1))[0]!;
  const isSingleSegment = (descriptor & 0x20) !== 0;
  const sizeBytes = [isSingleSegment ? 1 : 0, 2, 4, 8][descriptor >> 6]!;
  yield content((isSingleSegment ? 0 : 1) + [0, 1, 2, 4][descriptor & 3]! + sizeBytes);
  for (let isLast = false; !isLast; ) {
    const block = (yield header(3)).readUIntLE(0, 3);
    isLast = (block & 1) === 1;
    const isOneByteRepeated = ((block >> 1) & 3) === 1;
    yield content(isOneByteRepeated ? 1 : block >> 3);
  }
  if ((descriptor & 4) !== 0) yield content(4);
}

/**
 * Returns a function that cuts the pieces of a stream where its frames end: the decompressor of Node.js loses what
 * follows a frame in the same piece.
 */
export function frameCutter(): (piece: Buffer) => Iterable<Buffer> {
  let steps = stepsOfFrame();
  let step = steps.next().value!;
  let left = step.bytes;
  let read = Buffer.alloc(0);

  /** Goes on to a step of at least a byte. Reports whether it is the first of another frame. */
  function goOn(): boolean {
    let isNew = false;
    do {
      let next = steps.next(read);
      if (next.done) {
        isNew = true;
        steps = stepsOfFrame();
        next = steps.next();
      }
      step = next.value!;
      left = step.bytes;
      read = Buffer.alloc(0);
    } while (left === 0);
    return isNew;
  }

  return function* (piece) {
    let start = 0;
    for (let at = 0; at < piece.length; ) {
      const bytes = Math.min(left, piece.length - at);
      if (step.isHeader) read = Buffer.concat([read, piece.subarray(at, at + bytes)]);
      at += bytes;
      left -= bytes;
      if (left > 0 || !goOn()) continue;
      yield piece.subarray(start, at);
      start = at;
    }
    if (start < piece.length) yield piece.subarray(start);
  };
}
