/** Reports whether the first box has type `ftyp` and names a brand that begins with `mp4`. */
export function isMp4(head: Buffer): boolean {
  if (head.length < 12 || head.toString("latin1", 4, 8) !== "ftyp") return false;
  const boxBytes = head.readUInt32BE(0);
  if (head.length < boxBytes || boxBytes % 4 !== 0) return false;
  // Four bytes of version follow the first brand.
  for (let at = 8; at < boxBytes; at += at === 8 ? 8 : 4)
    if (head.toString("latin1", at, at + 3) === "mp4") return true;
  return false;
}

/** Returns the length of an EBML number in bytes, from the leading zeros of its first byte. */
const ebmlBytes = (first: number) => Math.clz32(first) - 24 + 1;

/** Reports whether this is an EBML header with document type (element 42 82) `webm`. */
export function isWebm(head: Buffer): boolean {
  if (head.length < 4 || head.readUInt32BE(0) !== 0x1a45dfa3) return false;
  for (let at = 4; at < Math.min(head.length, 38); at++) {
    if (head[at] !== 0x42 || head[at + 1] !== 0x82 || at + 2 >= head.length) continue;
    const docType = head.subarray(at + 2 + ebmlBytes(head[at + 2]!));
    const padding = docType.findIndex((byte) => byte !== 0);
    return padding >= 0 && docType.toString("latin1", padding, padding + 4) === "webm";
  }
  return false;
}

const mpeg1Kbps = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const mpeg2Kbps = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
const mpeg1Hz = [44_100, 48_000, 32_000];

/** Returns the length of the MPEG layer III frame that begins here, if one does. */
function mp3FrameBytes(head: Buffer, at: number): number | undefined {
  if (at + 4 > head.length) return undefined;
  const [sync, kind, rate] = [head[at]!, head[at + 1]!, head[at + 2]!];
  const version = (kind & 0x18) >> 3;
  const layerThree = (kind & 0x06) >> 1 === 1;
  const [kbpsIndex, hzIndex] = [rate >> 4, (rate & 0x0c) >> 2];
  if (sync !== 0xff || (kind & 0xe0) !== 0xe0 || !layerThree || version === 1) return undefined;
  if (kbpsIndex === 15 || hzIndex === 3) return undefined;
  const kbps = (version === 3 ? mpeg1Kbps : mpeg2Kbps)[kbpsIndex]!;
  const hz = mpeg1Hz[hzIndex]! / { 3: 1, 2: 2, 0: 4 }[version as 0 | 2 | 3];
  const padding = (rate & 0x02) >> 1;
  return Math.floor(((version === 3 ? 144 : 72) * kbps * 1_000) / hz) + padding;
}

/** Reports whether this begins with two MP3 frames, without an ID3 tag. */
export function isMp3(head: Buffer): boolean {
  const first = mp3FrameBytes(head, 0);
  return first !== undefined && first >= 4 && mp3FrameBytes(head, first) !== undefined;
}
