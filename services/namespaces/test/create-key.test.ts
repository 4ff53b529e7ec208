import { generateKeyPairSync } from "node:crypto";
import { runAs } from "@ci/kit/rpc/caller";
import { decrypt } from "@ci/kit/security/secrets";
import type { User } from "@ci/proto/namespaces/v1/accounts";
import { eventually } from "@ci/testkit/eventually";
import { suite } from "@ci/testkit/suite";
import type { KeyDoc } from "../src/domain/key.js";
import { bootResources, privateKey, refusal } from "./_resources.js";
import { as } from "./_suite.js";

const own = suite();
let service: Awaited<ReturnType<typeof bootResources>>;
let ada: User;

beforeAll(async () => {
  service = await bootResources(own);
});
beforeEach(async () => {
  ada = await service.aUser();
});
afterAll(() => service.close());

type Ask = { namespace?: string; name?: string; privateKey?: string; config?: string };
const create = async (user: User, ask: Ask) =>
  (await runAs(as(user.id), () => service.keys.createKey({ name: "id", privateKey, ...ask }))).key!;
const refused = (user: User, ask: Ask) => refusal(create(user, ask));
const eventsOf = (id: number) =>
  service.events.filter(({ body }) => body?.$case === "key" && body.value.key?.id === id);

describe("answers", () => {
  test("the record under a name that a file may have, without its private half", async () => {
    expect(await create(ada, { name: "my key/é", config: "Host *\n" })).toEqual({
      id: expect.any(Number),
      authorId: ada.id,
      userId: ada.id,
      namespaceId: undefined,
      name: "my_key__",
      config: "Host *\n",
      createdAt: expect.any(Date),
      updatedAt: expect.any(Date),
    });
  });

  test("and keeps the private half sealed for this record, as programs want it", async () => {
    const { id } = await create(ada, { privateKey: privateKey.replaceAll("\n", "\r\n").trimEnd() });
    const doc = await service.db.collection<KeyDoc>("keys").findOne({ _id: id });
    expect(JSON.stringify(doc)).not.toContain(privateKey.split("\n")[1]);
    expect(decrypt(service.config.keyring, doc!.sealed, { kind: "key", id })).toBe(privateKey);
  });

  test("the owner of somebody else's namespace as user, the collaborator as author", async () => {
    const bob = await service.aUser();
    const root = await service.aNamespace(bob, "bobs");
    await service.joins(ada, bob, root.id);
    const key = await create(ada, { namespace: `bobs@${bob.username}` });
    expect(key).toMatchObject({ userId: bob.id, authorId: ada.id, namespaceId: root.id });
  });

  test("the same name in every scope", async () => {
    await create(ada, {});
    await create(ada, { namespace: "one" });
    await create(await service.aUser(), {});
  });
});

describe("invalid", () => {
  test("every field at once, and no namespace is made", async () => {
    expect(await refused(ada, { namespace: "a/-b@", name: "", privateKey: "" })).toEqual({
      namespace: [
        "Namespace name can only contain letters, numbers, dots, dashes, and underscores, and begin with a letter or number",
        "Namespace invalid owner",
      ],
      name: ["Name field required"],
      key: ["Key field required"],
    });
    expect(await refused(ada, { namespace: "fresh", name: "known_hosts", privateKey: "no" })).toEqual({
      name: ["Name is reserved"],
      key: ["Key ssh: no key found"],
    });
    const { namespaces } = await runAs(as(ada.id), () => service.namespaces.listNamespaces({}));
    expect(namespaces).toEqual([]);
  });

  test("a key with a passphrase", async () => {
    const cipher = { format: "pem", type: "pkcs8", cipher: "aes-256-cbc", passphrase: "secret" } as const;
    const encrypted = generateKeyPairSync("ed25519").privateKey.export(cipher) as string;
    expect(await refused(ada, { privateKey: encrypted })).toEqual({ key: ["Key ssh: key is encrypted"] });
  });

  test("a name that is taken once it is cleaned", async () => {
    await create(ada, { name: "a b" });
    expect(await refused(ada, { name: "a:b" })).toEqual({ name: ["Name already exists"] });
  });

  test("a namespace the caller may not write in", async () => {
    const bob = await service.aUser();
    await service.aNamespace(bob, "open", "public");
    const denied = { namespace: ["Namespace permission denied"] };
    expect(await refused(ada, { namespace: `open@${bob.username}` })).toEqual(denied);
  });
});

describe("conflict", () => {
  test("of fifty at the same time one wins", async () => {
    const one = () => create(ada, { namespace: "raced" }).catch((error) => error.fields);
    const answers = await Promise.all(Array.from({ length: 50 }, one));
    const winners = answers.filter(({ id }) => id !== undefined);
    expect(winners).toHaveLength(1);
    const losers = answers.filter((answer) => !winners.includes(answer));
    expect(losers).toEqual(Array(49).fill({ name: ["Name already exists"] }));
    expect((await runAs(as(ada.id), () => service.keys.listKeys({}))).keys).toEqual(winners);
  });
});

describe("events", () => {
  test("ssh_keys, created", async () => {
    const key = await create(ada, { namespace: "told" });
    const expected = { kind: "ssh_keys", actorId: ada.id, namespaceId: key.namespaceId };
    await eventually(() =>
      expect(eventsOf(key.id)).toMatchObject([{ ...expected, body: { value: { action: "created", key } } }]),
    );
    expect(JSON.stringify(service.events)).not.toContain("PRIVATE");
  });
});
