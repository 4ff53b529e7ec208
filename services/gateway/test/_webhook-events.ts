import { aWord } from "@ci/testkit/builders";
import { type Constellation, constellation, type Differences, made, type SignedUp } from "@ci/testkit/constellation";
import { eventually } from "@ci/testkit/eventually";
import { type Receiver, receiver } from "@ci/testkit/receiver";

// biome-ignore lint/suspicious/noExplicitAny: records are compared field by field
export type Shown = any;

/** A namespace of ann's and a webhook for all of its events. */
export interface Listening {
  readonly ci: Constellation;
  readonly ann: SignedUp;
  readonly inbox: Receiver;
  readonly space: string;
  /** Its address in the API. */
  readonly path: string;
  /** The namespace as other records embed it. */
  readonly copy: Shown;
  /** A record as the API returns it now. */
  got(url: string): Promise<Shown>;
  /** Kinds and payloads that a path of the inbox has got so far. */
  received(path: string): [kind: string, payload: Shown][];
  /** Expects exactly these kinds as the next events; returns their payloads. */
  nextEvents(...kinds: string[]): Promise<Shown[]>;
  /** Expects no further event: emits one, which must be the next. */
  expectNoEvents(): Promise<void>;
  /** Number of events checked so far. */
  checked(): number;
}

/** Starts everything for the tests of a file; use its parts only inside tests. */
export function listening(differences: Differences): Listening {
  const ci = constellation(differences);
  const space = aWord("team");
  const on = { ci, space } as { -readonly [K in keyof Listening]: Listening[K] };
  let checked = 0;
  on.checked = () => checked;
  on.got = async (url) => (await on.ann.get(url)).json;
  on.received = (path) =>
    on.inbox.requests
      .filter((request) => request.path === path)
      .map(({ headers, body }) => [headers["x-service-ci-event"] as string, JSON.parse(body.toString())]);
  on.nextEvents = async (...kinds) => {
    const next = await eventually(() => {
      const some = on.received("/all").slice(checked, checked + kinds.length);
      if (some.length < kinds.length) throw new Error(`${kinds} have not arrived, but ${some.map(([kind]) => kind)}`);
      return some;
    });
    expect(next.map(([kind]) => kind)).toEqual(kinds);
    checked += kinds.length;
    return next.map(([, payload]) => payload);
  };
  on.expectNoEvents = async () => {
    const { json: namespace } = await on.ann.patch(on.path, { description: aWord() });
    on.copy = copyOf(namespace);
    expect(await on.nextEvents("namespaces")).toEqual([{ action: "updated", namespace }]);
  };
  beforeAll(async () => {
    on.ann = await ci.signUp();
    on.inbox = await receiver();
    on.copy = copyOf(made(await on.ann.post("/namespaces", { name: space })));
    on.path = `/n/${on.ann.username}/${space}`;
    made(await on.ann.post(`${on.path}/-/webhooks`, { payload_url: `${on.inbox.url}/all` }));
  });
  afterAll(() => on.inbox?.[Symbol.asyncDispose]());
  return on;
}

const copyOf = ({ parent, build, ...rest }: Shown) => rest;
