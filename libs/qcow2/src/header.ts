/** How many bytes of a file have to be looked at to know its header. */
export const headBytes = 104;

/** What of a QCOW2 header decides whether an image is safe to boot, and where it says that its tables are. */
export interface Header {
  readonly backingFile: boolean;
  readonly externalData: boolean;
  /** The size of the disk as the guest sees it, in bytes. */
  readonly virtualBytes: bigint;
  readonly clusterBits: number;
  readonly l1: { readonly offset: number; readonly entries: number };
  /** `bits` is how many each count has. */
  readonly refcounts: { readonly offset: number; readonly clusters: number; readonly bits: number };
  readonly snapshots: { readonly offset: number; readonly count: number };
  /** Where its extensions begin. */
  readonly bytes: number;
}

const magic = 0x514649fb;
const version2Bytes = 72;
const externalDataBit = 1n << 2n;

/** Whether a file begins like a QCOW2 image. */
export const hasMagic = (head: Buffer): boolean => head.length >= 4 && head.readUInt32BE(0) === magic;

/** The version of the format that a file with the magic names; undefined if it is too short for a header of any version. */
export const versionOf = (head: Buffer): number | undefined =>
  head.length < version2Bytes ? undefined : head.readUInt32BE(4);

/** Whether there are machines that boot it. */
export const knownVersion = (version: number): boolean => version === 2 || version === 3;

/**
 * Reads the header of a file that has the magic; undefined if it is cut short, or of a version that nothing boots. Only
 * version 3 has feature bits. Its fields are those of https://www.qemu.org/docs/master/interop/qcow2.html#header.
 */
export function readHeader(head: Buffer): Header | undefined {
  const version = versionOf(head);
  if (version === undefined || !knownVersion(version) || (version === 3 && head.length < headBytes)) return undefined;
  // One that a number cannot hold exactly is beyond the end of every file.
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

/** What is wrong with a file that is no image, as words to be put behind its name. */
export const unreadable = (why: string): string => `cannot be read as QCOW2: ${why}`;
