/** How many bytes of a file have to be looked at. */
export const headBytes = 104;

/** What of a QCOW2 header decides whether an image is safe to boot. */
export interface Header {
  readonly backingFile: boolean;
  readonly externalData: boolean;
  /** The size of the disk as the guest sees it, in bytes. */
  readonly virtualBytes: bigint;
}

const magic = 0x514649fb;
const version2Bytes = 72;
const externalDataBit = 1n << 2n;

/** Whether a file begins like a QCOW2 image. */
export const hasMagic = (head: Buffer): boolean => head.length >= 4 && head.readUInt32BE(0) === magic;

/**
 * Reads the header of a file that has the magic; undefined if it is cut short, or of a version that nothing boots.
 * Only version 3 has feature bits.
 */
export function readHeader(head: Buffer): Header | undefined {
  const version = head.length >= 8 ? head.readUInt32BE(4) : 0;
  const neededBytes = { 2: version2Bytes, 3: headBytes }[version];
  if (neededBytes === undefined || head.length < neededBytes) return undefined;
  return {
    backingFile: head.readBigUInt64BE(8) !== 0n,
    externalData: version === 3 && (head.readBigUInt64BE(72) & externalDataBit) !== 0n,
    virtualBytes: head.readBigUInt64BE(24),
  };
}

const inGiB = (bytes: number): number => Number((bytes / 1024 ** 3).toPrecision(6));

/** What is wrong with a file by its first bytes; `virtualBytes` is the largest disk that is accepted. */
export function contentComplaints(head: Buffer, { virtualBytes }: { readonly virtualBytes: number }): string[] {
  if (!hasMagic(head)) return ["File not a valid QCOW2 file format"];
  const header = readHeader(head);
  if (!header) return [];
  return [
    ...(header.backingFile ? ["File cannot have a backing file"] : []),
    ...(header.externalData ? ["File cannot have an external data file"] : []),
    ...(header.virtualBytes > BigInt(virtualBytes)
      ? [`File virtual size cannot exceed ${inGiB(virtualBytes)} GiB`]
      : []),
  ];
}

/** The complaint about a file of more bytes than are accepted. */
export const fileTooLarge = (limitBytes: number): string => `file too large, cannot exceed ${inGiB(limitBytes)} GB`;
