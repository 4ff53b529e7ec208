import type { Api } from "@ci/testkit/api";
import { eventually } from "@ci/testkit/eventually";

/** A block of an event stream. */
export interface Block {
  readonly event?: string;
  readonly id?: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read records field by field
  readonly data?: any;
}

/** An open event stream. */
export interface EventStream extends Disposable {
  readonly blocks: readonly Block[];
  /** Returns the blocks that are events. */
  events(): Block[];
  /** Waits for at least this many events and returns all. Fails if the stream ends before. */
  waitFor(count: number): Promise<Block[]>;
  /** Resolves when the stream is closed. */
  readonly closed: Promise<unknown>;
}

function parse(block: string): Block {
  const lines = block.split("\n").map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)]);
  const { event, id, data } = Object.fromEntries(lines);
  return { event, id, data: data && JSON.parse(data) };
}

/** Opens a stream, resolves at its first block and reads until it is disposed. */
export async function openStream(api: Api, path: string, lastEventId?: string): Promise<EventStream> {
  const position: Record<string, string> = lastEventId === undefined ? {} : { "Last-Event-ID": lastEventId };
  const headers = { Accept: "text/event-stream", ...position };
  const response = await api.open("GET", path, { headers });
  if (response.statusCode !== 200) throw new Error(`Not a stream, but ${response.statusCode}`);
  const blocks: Block[] = [];
  let text = "";
  response.setEncoding("utf8").on("data", (chunk) => {
    const complete = (text + chunk).split("\n\n");
    text = complete.pop()!;
    blocks.push(...complete.filter((block) => !block.startsWith(":")).map(parse));
  });
  const closed = new Promise((resolve) => response.on("error", () => undefined).on("close", resolve));
  const events = () => blocks.filter(({ event }) => event !== undefined);
  await eventually(() => expect(blocks.length).toBeGreaterThan(0));
  return {
    blocks,
    events,
    closed,
    waitFor: (count) => {
      const enough = () => {
        expect(events().length).toBeGreaterThanOrEqual(count);
        return events();
      };
      return Promise.race([eventually(enough), closed.then(enough)]);
    },
    [Symbol.dispose]: () => void response.destroy(),
  };
}
