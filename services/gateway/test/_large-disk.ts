const MiB = 1024 ** 2;
const clusterBits = 21;
const clusterBytes = 2 ** clusterBits;
const tables = { refcounts: 1, block: 2, l1: 3, l2: 4, data: 5 };
/** This flag says that a cluster has exactly one reference. */
const copied = 1n << 63n;

const at = (cluster: number) => BigInt(cluster * clusterBytes);

/** Returns the size of the image of a disk. */
export const imageBytes = (diskBytes: number): number => diskBytes + tables.data * clusterBytes;

function header(diskBytes: number): Buffer {
  const head = Buffer.alloc(clusterBytes);
  head.write("QFI\xfb", "latin1");
  head.writeUInt32BE(3, 4);
  head.writeUInt32BE(clusterBits, 20);
  head.writeBigUInt64BE(BigInt(diskBytes), 24);
  head.writeUInt32BE(1, 36);
  head.writeBigUInt64BE(at(tables.l1), 40);
  head.writeBigUInt64BE(at(tables.refcounts), 48);
  head.writeUInt32BE(1, 56);
  head.writeUInt32BE(4, 96);
  head.writeUInt32BE(104, 100);
  return head;
}

/** Returns a cluster of numbers with this many bits each. */
function numbers(bits: 16 | 64, values: readonly bigint[]): Buffer {
  const cluster = Buffer.alloc(clusterBytes);
  for (const [nth, value] of values.entries())
    if (bits === 16) cluster.writeUInt16BE(Number(value), nth * 2);
    else cluster.writeBigUInt64BE(value, nth * 8);
  return cluster;
}

/**
 * Yields a QCOW2 image with every cluster of the disk: first `content`, then distinct MiB. The caller may keep the
 * pieces of at most 2 MiB.
 */
export function* largeDisk(diskBytes: number, content: Buffer): Generator<Buffer> {
  const clusters = diskBytes / clusterBytes;
  const all = Array.from({ length: clusters + tables.data }, (_, nth) => nth);
  yield header(diskBytes);
  yield numbers(64, [at(tables.block)]);
  yield numbers(
    16,
    all.map(() => 1n),
  );
  yield numbers(64, [at(tables.l2) | copied]);
  yield numbers(
    64,
    all.slice(tables.data).map((cluster) => at(cluster) | copied),
  );
  for (let from = 0; from < diskBytes; from += MiB) {
    const block = Buffer.alloc(MiB, "x");
    block.writeDoubleLE(from);
    if (from < content.length) content.copy(block, 0, from);
    yield block;
  }
}
