/** What a disk image shall be like. */
export interface Disk {
  readonly version?: number;
  readonly backingOffset?: bigint;
  readonly features?: bigint;
  readonly virtualBytes?: bigint;
  /** Of the whole file; the header alone has 104. */
  readonly sizeBytes?: number;
}

/** A file with a QCOW2 header; behind it every byte tells where it is. */
export function aDisk(disk: Disk = {}): Buffer {
  const { version = 3, backingOffset = 0n, features = 0n, virtualBytes = 1n << 30n, sizeBytes = 104 } = disk;
  const file = Buffer.alloc(Math.max(104, sizeBytes));
  file.write("QFI\xfb", "latin1");
  file.writeUInt32BE(version, 4);
  file.writeBigUInt64BE(backingOffset, 8);
  file.writeUInt32BE(16, 20);
  file.writeBigUInt64BE(virtualBytes, 24);
  if (version === 3) {
    file.writeBigUInt64BE(features, 72);
    file.writeUInt32BE(104, 100);
  }
  for (let at = 104; at < sizeBytes; at++) file[at] = at % 251;
  return file.subarray(0, sizeBytes);
}
