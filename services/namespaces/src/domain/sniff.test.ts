import { sniff } from "./sniff.js";

const hex = (text: string) => Buffer.from(text.replaceAll(" ", ""), "hex");
const zeros = (count: number) => "00".repeat(count);

/** A frame of MPEG 1 layer III: 128 kbit/s at 44.1 kHz is 417 bytes. */
const mp3Frame = `FF FB 90 00 ${zeros(413)}`;

describe("sniff", () => {
  test.each<[string, string | Buffer, string]>([
    ["plain text", "hello\n", "text/plain; charset=utf-8"],
    ["no content", "", "text/plain; charset=utf-8"],
    ["white space alone", " \n\t ", "text/plain; charset=utf-8"],
    ["text with escape sequences", "\x1b[31mred\x1b[0m\f\r\n", "text/plain; charset=utf-8"],
    ["JSON", '{"a": 1}', "text/plain; charset=utf-8"],
    ["a shell script", "#!/bin/sh\nexit 0\n", "text/plain; charset=utf-8"],
    ["a NUL byte", "a\0b", "application/octet-stream"],
    ["a vertical tab", "a\x0bb", "application/octet-stream"],
    ["an ELF file", hex("7F 45 4C 46 02 01 01 00"), "application/octet-stream"],
    ["a binary byte within the first 1445", `${"a".repeat(1444)}\0`, "application/octet-stream"],
    ["a binary byte after them", `${"a".repeat(1445)}\0`, "text/plain; charset=utf-8"],
    ["HTML in mixed case after white space", "\r\n <!docTYPE hTml>", "text/html"],
    ["a tag with attributes", "<p class=a>", "text/html"],
    ["a comment", "<!-- hello", "text/html"],
    ["a longer tag with the same beginning", "<article>", "text/plain; charset=utf-8"],
    ["a tag cut off", "<html", "text/plain; charset=utf-8"],
    ["XML after white space", '\n<?xml version="1.0"?>', "text/xml"],
    ["XML in upper case", "<?XML?>", "text/plain; charset=utf-8"],
    ["PDF", "%PDF-1.7\n\0", "application/pdf"],
    ["PDF after white space", " %PDF-1.7", "text/plain; charset=utf-8"],
    ["PostScript", "%!PS-Adobe-3.0", "application/postscript"],
    ["UTF-16, big endian", hex("FE FF 00 61"), "text/plain; charset=utf-16be"],
    ["UTF-16, little endian", hex("FF FE 61 00"), "text/plain; charset=utf-16le"],
    ["UTF-8 with its mark", hex("EF BB BF 61"), "text/plain; charset=utf-8"],
    ["an icon", hex("00 00 01 00 01"), "image/x-icon"],
    ["a cursor", hex("00 00 02 00 01"), "image/x-icon"],
    ["BMP", "BM\x36\0", "image/bmp"],
    ["GIF 87", "GIF87a\0", "image/gif"],
    ["GIF 89", "GIF89a\0", "image/gif"],
    ["WebP", "RIFF\x01\x02\x03\x04WEBPVP8 ", "image/webp"],
    ["PNG", hex("89 50 4E 47 0D 0A 1A 0A 00"), "image/png"],
    ["JPEG", hex("FF D8 FF E0"), "image/jpeg"],
    ["AIFF", "FORM\x01\x02\x03\x04AIFF", "audio/aiff"],
    ["MP3 with an ID3 tag", "ID3\x04\0", "audio/mpeg"],
    ["MP3 without an ID3 tag", hex(mp3Frame + mp3Frame), "audio/mpeg"],
    ["one frame of MP3 alone", hex(mp3Frame), "application/octet-stream"],
    ["MP3 of MPEG 2, 64 kbit/s at 22.05 kHz", hex(`FF F3 80 00 ${zeros(204)} FF F3 80 00`), "audio/mpeg"],
    ["Ogg", "OggS\0\x02", "application/ogg"],
    ["MIDI", "MThd\0\0\0\x06\0", "audio/midi"],
    ["AVI", "RIFF\x01\x02\x03\x04AVI LIST", "video/avi"],
    ["WAVE", "RIFF\x01\x02\x03\x04WAVEfmt ", "audio/wave"],
    ["MP4 by its first brand", "\0\0\0\x10ftypmp42\0\0\0\0", "video/mp4"],
    ["MP4 by a later brand", "\0\0\0\x18ftypisom\0\0\0\0isommp41", "video/mp4"],
    ["a version that spells a brand", "\0\0\0\x10ftypisommp42", "application/octet-stream"],
    ["a box of another brand", "\0\0\0\x14ftypqt  \0\0\0\0qt  ", "application/octet-stream"],
    ["a box longer than the content", "\0\0\x10\0ftypmp42\0\0\0\0", "application/octet-stream"],
    ["WebM", hex(`1A 45 DF A3 9F 42 86 81 01 42 82 84 77 65 62 6D`), "video/webm"],
    ["Matroska", hex(`1A 45 DF A3 A3 42 82 88 6D 61 74 72 6F 73 6B 61`), "application/octet-stream"],
    ["an EBML header cut off", hex("1A 45 DF A3 9F 42 82"), "application/octet-stream"],
    ["an embedded font", hex(`${zeros(34)} 4C 50`), "application/vnd.ms-fontobject"],
    ["TrueType", hex("00 01 00 00"), "font/ttf"],
    ["OpenType", "OTTO\0", "font/otf"],
    ["a font collection", "ttcf\0", "font/collection"],
    ["WOFF", "wOFF\0", "font/woff"],
    ["WOFF 2", "wOF2\0", "font/woff2"],
    ["gzip", hex("1F 8B 08 00"), "application/x-gzip"],
    ["zip", "PK\x03\x04\x14\0", "application/zip"],
    ["rar", "Rar!\x1a\x07\0", "application/x-rar-compressed"],
  ])("detects the type of %s", (_what, content, type) => {
    expect(sniff(Buffer.isBuffer(content) ? content : Buffer.from(content, "latin1"))).toBe(type);
  });
});
