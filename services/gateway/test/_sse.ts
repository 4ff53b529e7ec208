import type { Api } from "@ci/testkit/api";
import { eventually } from "@ci/testkit/eventually";

/** One block of a stream. */
export interface Block {
  readonly event?: string;
  readonly id?: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read records field by field
  readonly data?: any;
}

/** An open stream. */
export interface Listening extends Disposable {
  readonly blocks: readonly Block[];
  /** The blocks that are events. */
  events(): Block[];
  /** Waits for this many events and returns them. */
  some(count: number): Promise<Block[]>;
  /** Resolves when the service has closed the stream. */
  readonly closed: Promise<unknown>;
}

function parse(block: string): Block {
  const lines = block.split("\n").map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)]);
  const { event, id, data } = Object.fromEntries(lines);
  return { event, id, data: data && JSON.parse(data) };
}

/** Opens a stream, resolves once it has begun, and reads until disposed. */
export async function listen(api: Api, path: string, lastEventId?: string): Promise<Listening> {
  const headers: Record<string, string> = lastEventId === undefined ? {} : { "Last-Event-ID": lastEventId };
  const response = await api.open("GET", path, { headers });
  if (response.statusCode !== 200) throw new Error(`Not a stream, but ${response.statusCode}`);
  const blocks: Block[] = [];
  let text = "";
  response.setEncoding("utf8").on("data", (chunk) => {
    const whole = (text + chunk).split("\n\n");
    text = whole.pop()!;
    blocks.push(...whole.filter((block) => !block.startsWith(":")).map(parse));
  });
  const closed = new Promise((resolve) => response.on("error", () => undefined).on("close", resolve));
  const events = () => blocks.filter(({ event }) => event !== undefined);
  await eventually(() => expect(blocks.length).toBeGreaterThan(0));
  return {
    blocks,
    events,
    closed,
    some: (count) =>
      eventually(() => {
        expect(events().length).toBeGreaterThanOrEqual(count);
        return events();
      }),
    [Symbol.dispose]: () => void response.destroy(),
  };
}
