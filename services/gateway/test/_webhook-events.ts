import { aWord } from "@ci/testkit/builders";
import { type Constellation, constellation, type Differences, made, type SignedUp } from "@ci/testkit/constellation";
import { eventually } from "@ci/testkit/eventually";
import { type Receiver, receiver } from "@ci/testkit/receiver";

// biome-ignore lint/suspicious/noExplicitAny: records are compared field by field
export type Shown = any;

/** A namespace of ann's and a webhook that listens to everything that happens in it. */
export interface Listening {
  readonly ci: Constellation;
  readonly ann: SignedUp;
  readonly inbox: Receiver;
  readonly space: string;
  /** Its address in the API. */
  readonly path: string;
  /** The namespace as other records show it. */
  readonly copy: Shown;
  /** A record as the API shows it now. */
  got(url: string): Promise<Shown>;
  /** What came to a path of the inbox so far: kinds and payloads. */
  heard(path: string): [kind: string, payload: Shown][];
  /** The next events: these kinds in this order, and nothing else before. Answers their payloads. */
  told(...kinds: string[]): Promise<Shown[]>;
  /** The next event of the namespace is one that is made here, so nothing was told before it. */
  nothingTold(): Promise<void>;
  /** How many events were looked at. */
  looked(): number;
}

/** Starts everything for the tests of a file; its parts are there once the tests run. */
export function listening(differences: Differences): Listening {
  const ci = constellation(differences);
  const space = aWord("team");
  const on = { ci, space } as { -readonly [K in keyof Listening]: Listening[K] };
  let looked = 0;
  on.looked = () => looked;
  on.got = async (url) => (await on.ann.get(url)).json;
  on.heard = (path) =>
    on.inbox.requests
      .filter((request) => request.path === path)
      .map(({ headers, body }) => [headers["x-service-ci-event"] as string, JSON.parse(body.toString())]);
  on.told = async (...kinds) => {
    const next = await eventually(() => {
      const some = on.heard("/all").slice(looked, looked + kinds.length);
      if (some.length < kinds.length) throw new Error(`${kinds} is not told yet, but ${some.map(([kind]) => kind)}`);
      return some;
    });
    expect(next.map(([kind]) => kind)).toEqual(kinds);
    looked += kinds.length;
    return next.map(([, payload]) => payload);
  };
  on.nothingTold = async () => {
    const { json: namespace } = await on.ann.patch(on.path, { description: aWord() });
    on.copy = copyOf(namespace);
    expect(await on.told("namespaces")).toEqual([{ action: "updated", namespace }]);
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
