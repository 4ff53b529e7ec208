import { Failure } from "./exit.js";
import { type Io, printJson } from "./io.js";
import { requestPath } from "./operation-path.js";
import { operations } from "./operations/index.js";
import { saveContent } from "./save-content.js";
import { connect } from "./session.js";

interface Content {
  readonly name: string;
  /** Null while an image has no content. */
  readonly content_url: string | null;
  /** Absent for images. */
  readonly sha256?: string;
}

export interface Input {
  readonly id: string;
  readonly namespace?: string | undefined;
  readonly into?: string | undefined;
  readonly force?: boolean | undefined;
}

/** Downloads the content of the record that an operation shows to a file with the record's name. */
export async function downloadContent(io: Io, shownBy: string, input: Input): Promise<undefined> {
  const { id, namespace, into = ".", force = false } = input;
  const session = await connect(io);
  const { client } = session;
  const { path } = await requestPath(session, operations[shownBy]!, { id, namespace });
  const record = (await (await client.request(path)).json()) as Content;
  const { name, content_url, sha256 = null } = record;
  if (content_url === null) throw new Failure(`"${name}" has no content yet`);
  const from = `${path}?download`;
  const { headers } = await client.request(from, { method: "HEAD" });
  const sizeBytes = Number(headers.get("Content-Length"));
  // Without a hash, only the date tells whether a part is of this content.
  const lastModified = sha256 === null ? (headers.get("Last-Modified") ?? undefined) : undefined;
  await saveContent(io, client, { path: from, name, sizeBytes, sha256, lastModified }, { into, force });
  if (io.options.json) await printJson(io, record);
}
