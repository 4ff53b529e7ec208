import { createHash } from "node:crypto";
import { PassThrough, type Transform } from "node:stream";
import zlib from "node:zlib";
import { FetchFailed } from "@ci/kit/net/fetch-failed";
import { raceAbort } from "../../endings/ended.js";
import { cannotUnpack } from "./tar-check.js";
import { frameCutter, isZstd } from "./zstd-frames.js";

interface Unpacking extends Disposable {
  /** Resolves when the bytes are unpacked. Rejects with a FetchFailed if they cannot be, or with what `take` throws. */
  write(packed: Buffer): Promise<void>;
  /** Returns the digest of all that the layer contains. */
  end(): Promise<string>;
}

/** Node.js has it since 22.15. */
const { createZstdDecompress, constants } = zlib as unknown as {
  createZstdDecompress?: (options: { chunkSize: number; params: Record<number, number> }) => Transform;
  constants: { ZSTD_d_windowLogMax: number };
};
/** 32 MiB, which is what common packers use at most. */
const zstdWindowLog = 25;
const chunkSize = 64 * 1024;
const headBytes = 4;

interface Format {
  readonly unpacker: Transform;
  cut(packed: Buffer): Iterable<Buffer>;
}

const isForeign = (head: Buffer): boolean => ["425a68", "fd377a"].includes(head.toString("hex", 0, 3));
const isGzip = (head: Buffer): boolean => head.length > 1 && head.readUInt16BE(0) === 0x1f8b;

function formatOf(head: Buffer): Format {
  const cut = (packed: Buffer) => [packed];
  if (isGzip(head)) return { unpacker: zlib.createGunzip({ chunkSize }), cut };
  if (isForeign(head)) throw new FetchFailed("its layers are packed with bzip2 or xz, which is not supported");
  if (!isZstd(head)) return { unpacker: new PassThrough(), cut };
  if (!createZstdDecompress) throw new FetchFailed("its layers are packed with zstd, which this runner cannot unpack");
  const params = { [constants.ZSTD_d_windowLogMax]: zstdWindowLog };
  return { unpacker: createZstdDecompress({ chunkSize, params }), cut: frameCutter() };
}

const isZlibs = (error: unknown): boolean => /^(?:Z_|ZSTD_|ERR_ZSTD)/.test((error as NodeJS.ErrnoException).code ?? "");

const written = (unpacker: Transform, packed: Buffer): Promise<void> =>
  new Promise((resolve, reject) => unpacker.write(packed, (error) => (error ? reject(error) : resolve())));

/** Unpacks a layer, of whatever format, and keeps nothing of it. `take` gets each unpacked piece. */
export function unpacking(take: (piece: Buffer) => void): Unpacking {
  const hash = createHash("sha256");
  let head = Buffer.alloc(0);
  let begun: (Format & { readonly read: Promise<void>; readonly over: AbortSignal }) | undefined;

  async function readAll(unpacker: Transform): Promise<void> {
    try {
      for await (const piece of unpacker as AsyncIterable<Buffer>) {
        take(piece);
        hash.update(piece);
      }
    } catch (error) {
      throw isZlibs(error) ? cannotUnpack(error) : error;
    }
  }

  async function begin() {
    const format = formatOf(head);
    const over = new AbortController();
    begun = { ...format, read: readAll(format.unpacker).finally(() => over.abort()), over: over.signal };
    begun.read.catch(() => undefined);
    await feed(begun, head);
    return begun;
  }

  /** The unpacker may end before its input. Each race with `read` itself would stay in memory until that ends. */
  async function feed({ unpacker, cut, read, over }: NonNullable<typeof begun>, packed: Buffer): Promise<void> {
    for (const piece of cut(packed)) await raceAbort(over, written(unpacker, piece)).catch(() => read);
  }

  return {
    async write(packed) {
      if (begun) return feed(begun, packed);
      head = Buffer.concat([head, packed]);
      if (head.length >= headBytes) await begin();
    },
    async end() {
      const { unpacker, read } = begun ?? (await begin());
      unpacker.end();
      await read;
      return `sha256:${hash.digest("hex")}`;
    },
    [Symbol.dispose]: () => void begun?.unpacker.destroy(),
  };
}
