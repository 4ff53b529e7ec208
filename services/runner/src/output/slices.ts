/** What all builds together mask in one turn of the event loop. Slow text ends a slice early, after `sliceMs`. */
const sliceBytes = 8 * 1024;
const sliceMs = 4;
const pieceBytes = 1024;

/** Builds that wait for a slice, in order. */
const waiting: (() => void)[] = [];
let isTaken = false;

function nextTurn(): void {
  const next = waiting.shift();
  isTaken = next !== undefined;
  if (!next) return;
  setImmediate(nextTurn);
  next();
}

/**
 * Gives a slice of this process's time to one of the builds that write output. They take turns, and other work runs in
 * between. Returns undefined if the slice can be used at once.
 */
function takeSlice(): Promise<void> | undefined {
  if (!isTaken) {
    isTaken = true;
    setImmediate(nextTurn);
    return undefined;
  }
  return new Promise((resolve) => {
    waiting.push(resolve);
  });
}

interface Slices {
  /** Uses bytes after all that were added before. Returns undefined if that was done at once. */
  add(bytes: Uint8Array): Promise<void> | undefined;
  /** Resolves when all bytes are used. */
  done(): Promise<void> | undefined;
}

/** Calls `use` with all bytes in order, in pieces, without holding up other builds and other work of this process. */
export function inSlices(use: (piece: Uint8Array) => void): Slices {
  let using: Promise<void> | undefined;
  let roomBytes = 0;
  let leftMs = 0;

  function usePiece(piece: Uint8Array): void {
    const sinceMs = performance.now();
    use(piece);
    leftMs -= performance.now() - sinceMs;
    roomBytes = leftMs > 0 ? roomBytes - piece.length : 0;
  }

  async function useAll(bytes: Uint8Array): Promise<void> {
    for (let from = 0; from < bytes.length; ) {
      if (roomBytes <= 0) {
        await takeSlice();
        roomBytes = sliceBytes;
        leftMs = sliceMs;
      }
      const piece = bytes.subarray(from, from + Math.min(roomBytes, pieceBytes));
      from += piece.length;
      usePiece(piece);
    }
  }

  return {
    add(bytes) {
      if (!using && bytes.length <= Math.min(roomBytes, pieceBytes)) {
        usePiece(bytes);
        return undefined;
      }
      const done = (using ?? Promise.resolve()).then(() => useAll(bytes));
      using = done;
      void done.then(() => {
        if (using === done) using = undefined;
      });
      return done;
    },
    done: () => using,
  };
}
