import { aWord } from "@ci/testkit/builders";
import { constellation, created } from "@ci/testkit/constellation";
import { type Receiver, receiver } from "@ci/testkit/receiver";
import { lists } from "./_lists.js";

const ci = constellation();
let inbox: Receiver;
beforeAll(async () => {
  inbox = await receiver();
});
afterAll(() => inbox[Symbol.asyncDispose]());

/** Returns 27 shuffled names, two more than fit on a page, with a unique prefix. */
function someNames(): string[] {
  const start = aWord("w");
  const ends = Array.from({ length: 26 }, (_, i) => `${(i * 7) % 26}`.padStart(2, "0"));
  // Lists compare code points, so upper case sorts before lower case.
  return [...ends.slice(0, 13), "Z", ...ends.slice(13)].map((end) => `${start}x${end}`);
}

const sorted = {
  lexical: (names: string[]) => names.toSorted(),
  given: (names: string[]) => names,
  newest: (names: string[]) => names.toReversed(),
};

test.each(Object.entries(lists))(
  "the list %s is paged, sorted and searched",
  async (route, { nameOf, shown = String, order, search, fill }) => {
    const names = someNames();
    const start = names[0]!.slice(0, -2);
    const user = await ci.signUp();
    const namespace: string = created(await user.post("/namespaces", { name: aWord("ns") })).path;
    const url = `/n/${user.username}/${namespace}`;
    const { path, as } = await fill({ ci, inbox, user, url, namespace }, names);
    const query = search ? `search=${start.toUpperCase()}&` : "";
    const get = (page: number) => as.get(`${path}?${query}page=${page}`);
    const link = (page: number, rel: string) =>
      `<${ci.url}${path.replace(ci.url, "")}?${query}page=${page}>; rel="${rel}"`;

    const [first, second, third] = [await get(1), await get(2), await get(3)];
    const listed = [...first.json, ...second.json].map(nameOf);
    // Deliveries are identified by their ids.
    const expected = route.endsWith("deliveries")
      ? [...listed].sort((a, b) => Number(b) - Number(a))
      : sorted[order](names).map(shown);
    expect(listed).toEqual(expected);
    expect([first.json.length, second.json.length, third.json.length]).toEqual([25, 2, 0]);
    expect([first, second, third].map(({ headers }) => headers.link)).toEqual([
      link(2, "next"),
      link(1, "prev"),
      link(2, "prev"),
    ]);

    if (!search) return;
    const countOf = async (text: string) => (await as.get(`${path}?search=${encodeURIComponent(text)}`)).json.length;
    expect(await countOf(`${start}0`)).toBe(10);
    const unmatched = [
      ".",
      `${start}.`,
      `${start}*`,
      "^w",
      `${start}%`,
      `(${start}`,
      "\\",
      `${start}[0]`,
      `${start}\0`,
      "\0",
    ];
    for (const text of [...unmatched, "*".repeat(1_000)]) expect([text, await countOf(text)]).toEqual([text, 0]);
  },
);
