export interface Disk {
  readonly version?: number;
  readonly backingOffset?: bigint;
  readonly features?: bigint;
  readonly virtualBytes?: bigint;
  readonly l1Offset?: bigint;
  readonly sizeBytes?: number;
}

const MiB = 1n << 20n;

/** Returns a QCOW2 image of an empty disk: header, refcount table, its only block and L1 table, with a cluster each. */
export function aDisk(disk: Disk = {}): Buffer {
  const { version = 3, backingOffset = 0n, features = 0n, virtualBytes = MiB } = disk;
  const clusterBits = virtualBytes > MiB ? 16 : 9;
  const clusterBytes = 2 ** clusterBits;
  const { sizeBytes = 4 * clusterBytes, l1Offset = BigInt(3 * clusterBytes) } = disk;
  const file = Buffer.alloc(Math.max(4 * clusterBytes, sizeBytes));
  file.write("QFI\xfb", "latin1");
  file.writeUInt32BE(version, 4);
  file.writeBigUInt64BE(backingOffset, 8);
  file.writeUInt32BE(clusterBits, 20);
  file.writeBigUInt64BE(virtualBytes, 24);
  // Each L1 entry leads to a cluster of entries for one cluster each.
  const reachedBytes = BigInt((clusterBytes / 8) * clusterBytes);
  const entries = (virtualBytes + reachedBytes - 1n) / reachedBytes;
  file.writeUInt32BE(Number(entries > 0xffffffffn ? 0xffffffffn : entries), 36);
  file.writeBigUInt64BE(l1Offset, 40);
  file.writeBigUInt64BE(BigInt(clusterBytes), 48);
  file.writeUInt32BE(1, 56);
  if (version === 3) {
    file.writeBigUInt64BE(features, 72);
    file.writeUInt32BE(4, 96);
    file.writeUInt32BE(104, 100);
  }
  file.writeBigUInt64BE(BigInt(2 * clusterBytes), clusterBytes);
  for (let cluster = 0; cluster < 4; cluster++) file.writeUInt16BE(1, 2 * clusterBytes + 2 * cluster);
  for (let at = 4 * clusterBytes; at < sizeBytes; at++) file[at] = at % 251;
  return file.subarray(0, sizeBytes);
}
