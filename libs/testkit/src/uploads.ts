import { sendUpload } from "@ci/kit/bytes/upload";

async function* piecesOf(content: Buffer, pieceBytes: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < content.length; at += pieceBytes) yield content.subarray(at, at + pieceBytes);
}

/** Returns the messages of an upload: the header, the content in pieces, and the end. */
export const uploadMessages = (name: string, content: Buffer | string, namespace = "", pieceBytes = 64 * 1024) =>
  sendUpload({ name, namespace }, piecesOf(Buffer.from(content), pieceBytes));
