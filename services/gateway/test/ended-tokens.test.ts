import { once } from "node:events";
import { type ClientRequest, type IncomingMessage, request } from "node:http";
import { json } from "node:stream/consumers";
import { aUser } from "@ci/testkit/builders";
import { type Constellation, constellation, created, everything } from "@ci/testkit/constellation";
import { eventually } from "@ci/testkit/eventually";

// A body may take as long as its client likes. Its token may end before it has arrived.

const ci: Constellation = constellation();

/** Creates a user with another token, which has not been used. */
async function aHolder() {
  const { username } = created(await ci.admin.post("/users", aUser()));
  const tokens = `/users/${username}/tokens`;
  const keeper = ci.as(created(await ci.admin.post(tokens, { name: "keeper", scope: everything })).secret);
  const { secret, id } = created(await ci.admin.post(tokens, { name: "lost", scope: everything }));
  const isUsed = async () => {
    const { json: listed } = await ci.admin.get(`/users/-/tokens?user=${username}`);
    const found = listed.find((token: { id: number }) => token.id === id);
    expect(found.last_used_at).not.toBeNull();
  };
  return { username, keeper, secret, isUsed, deleteToken: async () => void (await keeper.delete(`/tokens/${id}`)) };
}
type Holder = Awaited<ReturnType<typeof aHolder>>;

interface Slow {
  readonly path: string;
  readonly type: string;
  readonly beginning: string | Buffer;
  readonly rest: string | Buffer;
}

const post = ({ path, type }: Slow, secret: string): ClientRequest =>
  request(`${ci.origin}${new URL(ci.url).pathname}${path}`, {
    method: "POST",
    headers: { Authorization: `Bearer ${secret}`, "Content-Type": type },
  });

/** Sends a body of which the rest follows only after `end`. Returns the response. */
async function slowly(slow: Slow, { secret, isUsed }: Holder, end: () => Promise<unknown>) {
  const sending = post(slow, secret);
  const answered = once(sending, "response") as Promise<[IncomingMessage]>;
  answered.catch(() => undefined);
  sending.on("error", () => undefined);
  sending.write(slow.beginning);
  await eventually(isUsed);
  await end();
  sending.end(slow.rest);
  const [response] = await answered;
  return { status: response.statusCode, body: await json(response) };
}

const image = Buffer.from([0x51, 0x46, 0x49, 0xfb]);
const form = '--b\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\ncontent';
const slowBodies = {
  variables: { path: "/variables", type: "application/json", beginning: '{"key": "KEY", ', rest: '"value": "value"}' },
  objects: { path: "/objects?name=late", type: "application/octet-stream", beginning: "first", rest: "second" },
  "objects in a form": {
    path: "/objects?name=late",
    type: "multipart/form-data; boundary=b",
    beginning: form,
    rest: "more\r\n--b--\r\n",
  },
  images: { path: "/images?name=late", type: "application/octet-stream", beginning: image, rest: "more" },
} satisfies Record<string, Slow>;
const refused = { status: 401, body: { message: "Unauthorized" } };

describe.each(Object.entries(slowBodies))("%s", (_, slow) => {
  const [list] = slow.path.split("?");

  it("are created once their body has arrived, however slowly", async () => {
    const holder = await aHolder();
    expect(await slowly(slow, holder, async () => undefined)).toMatchObject({ status: 201 });
    expect((await holder.keeper.get(list!)).json).toHaveLength(1);
  });

  it("are not created by a token that has been deleted before their body has arrived", async () => {
    const holder = await aHolder();
    expect(await slowly(slow, holder, holder.deleteToken)).toEqual(refused);
    expect((await holder.keeper.get(list!)).json).toEqual([]);
  });

  it("are not created by a user who has been deleted before their body has arrived", async () => {
    const holder = await aHolder();
    const deleteUser = async () => void (await ci.admin.delete(`/users/${holder.username}`));
    expect(await slowly(slow, holder, deleteUser)).toEqual(refused);
  });
});
