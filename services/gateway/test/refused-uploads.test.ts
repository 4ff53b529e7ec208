import { once } from "node:events";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { constellation } from "@ci/testkit/constellation";

const ci = constellation();

/** Sends a whole request before it reads the response. */
async function sendFirst(head: string, body: Buffer): Promise<string> {
  const { hostname, port } = new URL(ci.origin);
  const socket = connect(Number(port), hostname);
  await once(socket, "connect");
  await new Promise<void>((sent, fail) => {
    socket.once("error", fail);
    socket.write(Buffer.concat([Buffer.from(head), body]), () => sent());
  });
  return text(socket);
}

const part = 'Content-Disposition: form-data; name="file"; filename="f"\r\n\r\n';

test.each([
  ["content", "application/octet-stream", "", ""],
  ["a form", "multipart/form-data; boundary=b", `--b\r\n${part}`, "\r\n--b--\r\n"],
])(
  "a client that reads only after it has sent all of %s learns that it was too large",
  async (_, type, before, after) => {
    const ann = await ci.signUp();
    const body = Buffer.concat([Buffer.from(before), Buffer.alloc(40 * 1024 * 1024), Buffer.from(after)]);
    const lines = [
      `POST ${new URL(`${ci.url}/objects`).pathname}?name=large HTTP/1.1`,
      "Host: ci",
      `Authorization: Bearer ${ann.token}`,
      `Content-Type: ${type}`,
      `Content-Length: ${body.length}`,
    ];
    const response = await sendFirst(`${lines.join("\r\n")}\r\n\r\n`, body);
    expect(response).toMatch(/^HTTP\/1\.1 400 /);
    expect(response).toContain('{"file":["file too large, cannot exceed 5 MB"]}');
  },
);
