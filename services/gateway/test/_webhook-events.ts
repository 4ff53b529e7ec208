import { aWord } from "@ci/testkit/builders";
import { type Constellation, constellation, created, type Differences, type SignedUp } from "@ci/testkit/constellation";
import { eventually } from "@ci/testkit/eventually";
import { type Receiver, receiver } from "@ci/testkit/receiver";

// biome-ignore lint/suspicious/noExplicitAny: records are compared field by field
export type ApiRecord = any;

/** A namespace of ann's with a webhook for all events. */
export interface WatchedNamespace {
  readonly ci: Constellation;
  readonly ann: SignedUp;
  readonly inbox: Receiver;
  readonly space: string;
  /** The namespace's route. */
  readonly path: string;
  /** The namespace as other records embed it. */
  readonly copy: ApiRecord;
  /** Returns the current record. */
  fetchRecord(url: string): Promise<ApiRecord>;
  /** Returns the kinds and payloads that a path of the inbox has received so far. */
  received(path: string): [kind: string, payload: ApiRecord][];
  /** Expects exactly these kinds as the next events and returns their payloads. */
  nextEvents(...kinds: string[]): Promise<ApiRecord[]>;
  /** Expects that the next event is one that it emits itself. */
  expectNoEvents(): Promise<void>;
  /** Returns the number of checked events. */
  checked(): number;
}

/** Starts all services for the tests of a file. Use the result only inside tests. */
export function watchNamespace(differences: Differences): WatchedNamespace {
  const ci = constellation(differences);
  const space = aWord("team");
  const watched = { ci, space } as { -readonly [K in keyof WatchedNamespace]: WatchedNamespace[K] };
  let checked = 0;
  watched.checked = () => checked;
  watched.fetchRecord = async (url) => (await watched.ann.get(url)).json;
  watched.received = (path) =>
    watched.inbox.requests
      .filter((request) => request.path === path)
      .map(({ headers, body }) => [headers["x-service-ci-event"] as string, JSON.parse(body.toString())]);
  watched.nextEvents = async (...kinds) => {
    const next = await eventually(() => {
      const arrived = watched.received("/all").slice(checked, checked + kinds.length);
      if (arrived.length < kinds.length)
        throw new Error(`${kinds} have not arrived, but ${arrived.map(([kind]) => kind)}`);
      return arrived;
    });
    expect(next.map(([kind]) => kind)).toEqual(kinds);
    for (const [kind, payload] of next) ci.description.checkEvent(kind, payload);
    checked += kinds.length;
    return next.map(([, payload]) => payload);
  };
  watched.expectNoEvents = async () => {
    const { json: namespace } = await watched.ann.patch(watched.path, { description: aWord() });
    watched.copy = copyOf(namespace);
    expect(await watched.nextEvents("namespaces")).toEqual([{ action: "updated", namespace }]);
  };
  beforeAll(async () => {
    watched.ann = await ci.signUp();
    watched.inbox = await receiver();
    watched.copy = copyOf(created(await watched.ann.post("/namespaces", { name: space })));
    watched.path = `/n/${watched.ann.username}/${space}`;
    created(await watched.ann.post(`${watched.path}/-/webhooks`, { payload_url: `${watched.inbox.url}/all` }));
  });
  afterAll(() => watched.inbox?.[Symbol.asyncDispose]());
  return watched;
}

const copyOf = ({ parent, build, ...rest }: ApiRecord) => rest;
