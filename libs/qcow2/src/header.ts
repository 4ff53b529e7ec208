export const headBytes = 104;

/** The fields that decide whether an image is safe to boot, and the places of its tables. */
export interface Header {
  readonly backingFile: boolean;
  readonly externalData: boolean;
  readonly virtualBytes: bigint;
  readonly clusterBits: number;
  readonly l1: { readonly offset: number; readonly entries: number };
  readonly refcounts: { readonly offset: number; readonly clusters: number; readonly bits: number };
  readonly snapshots: { readonly offset: number; readonly count: number };
  /** The size of the header. Extensions begin there. */
  readonly bytes: number;
}

const magic = 0x514649fb;
const version2Bytes = 72;
const externalDataBit = 1n << 2n;

export const hasMagic = (head: Buffer): boolean => head.length >= 4 && head.readUInt32BE(0) === magic;

export const versionOf = (head: Buffer): number | undefined =>
  head.length < version2Bytes ? undefined : head.readUInt32BE(4);

export const knownVersion = (version: number): boolean => version === 2 || version === 3;

/** Returns undefined if truncated or of an unknown version. https://www.qemu.org/docs/master/interop/qcow2.html#header */
export function readHeader(head: Buffer): Header | undefined {
  const version = versionOf(head);
  if (version === undefined || !knownVersion(version) || (version === 3 && head.length < headBytes)) return undefined;
  // Offsets that a number cannot hold exactly are beyond the end of any file.
  const offset = (at: number) => Number(head.readBigUInt64BE(at));
  const bits = version === 3 ? 2 ** head.readUInt32BE(96) : 16;
  return {
    backingFile: offset(8) !== 0,
    externalData: version === 3 && (head.readBigUInt64BE(72) & externalDataBit) !== 0n,
    virtualBytes: head.readBigUInt64BE(24),
    clusterBits: head.readUInt32BE(20),
    l1: { offset: offset(40), entries: head.readUInt32BE(36) },
    refcounts: { offset: offset(48), clusters: head.readUInt32BE(56), bits },
    snapshots: { offset: offset(64), count: head.readUInt32BE(60) },
    bytes: version === 3 ? head.readUInt32BE(100) : version2Bytes,
  };
}

export const unreadable = (why: string): string => `cannot be read as QCOW2: ${why}`;
