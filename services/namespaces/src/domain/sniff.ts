import { markup, type Signature, signatures, tags } from "./signatures.js";
import { isMp3, isMp4, isWebm } from "./sniff-media.js";

/** The number of first bytes that decide a file's type. */
export const headBytes = 1445;

const matches = (head: Buffer, at: number, { value, mask }: Signature): boolean =>
  at + value.length <= head.length && value.every((byte, i) => (head[at + i]! & mask[i]!) === byte);

const isSpace = (byte: number) => [0x09, 0x0a, 0x0c, 0x0d, 0x20].includes(byte);

/** Reports whether a byte is a control character other than tab, line feed, form feed, carriage return and escape. */
const isBinary = (byte: number) =>
  byte <= 0x08 || byte === 0x0b || (byte >= 0x0e && byte <= 0x1a) || (byte >= 0x1c && byte <= 0x1f);

function markupType(head: Buffer): string | undefined {
  const start = head.findIndex((byte) => !isSpace(byte));
  if (start < 0) return undefined;
  const ended = (tag: Signature) => [0x20, 0x3e].includes(head[start + tag.value.length]!);
  const found =
    tags.find((tag) => matches(head, start, tag) && ended(tag)) ?? markup.find((sign) => matches(head, start, sign));
  return found?.type;
}

/** Returns the MIME type of a file, by the WHATWG MIME Sniffing standard for unlabelled content. */
export function sniff(content: Buffer): string {
  const head = content.subarray(0, headBytes);
  const type = markupType(head) ?? signatures.find((sign) => matches(head, 0, sign))?.type;
  if (type) return type;
  if (isMp4(head)) return "video/mp4";
  if (isWebm(head)) return "video/webm";
  if (isMp3(head)) return "audio/mpeg";
  return head.some(isBinary) ? "application/octet-stream" : "text/plain; charset=utf-8";
}
