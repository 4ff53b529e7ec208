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

type Fields = { namespace?: string; name?: string; privateKey?: string; config?: string };
const create = async (user: User, fields: Fields) =>
  (await runAs(as(user.id), () => service.keys.createKey({ name: "id", privateKey, ...fields }))).key!;
const refusalOf = (user: User, fields: Fields) => refusal(create(user, fields));
const eventsOf = (id: number) =>
  service.events.filter(({ body }) => body?.$case === "key" && body.value.key?.id === id);

describe("succeeds", () => {
  test("returns the record, with a safe file name and without the private key", async () => {
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

  test("stores the private key encrypted for this record, in the form SSH expects", async () => {
    const { id } = await create(ada, { privateKey: privateKey.replaceAll("\n", "\r\n").trimEnd() });
    const doc = await service.db.collection<KeyDoc>("keys").findOne({ _id: id });
    expect(JSON.stringify(doc)).not.toContain(privateKey.split("\n")[1]);
    expect(decrypt(service.config.keyring, doc!.sealed, { kind: "key", id })).toBe(privateKey);
  });

  test("a key in another user's namespace has its owner as user and the collaborator as author", async () => {
    const bob = await service.aUser();
    const root = await service.aNamespace(bob, "bobs");
    await service.addCollaborator(ada, bob, root.id);
    const key = await create(ada, { namespace: `bobs@${bob.username}` });
    expect(key).toMatchObject({ userId: bob.id, authorId: ada.id, namespaceId: root.id });
  });

  test("accepts the same name in every scope", async () => {
    await create(ada, {});
    await create(ada, { namespace: "one" });
    await create(await service.aUser(), {});
  });
});

describe("invalid", () => {
  test("reports every wrong field at once and creates no namespace", async () => {
    expect(await refusalOf(ada, { namespace: "a/-b@", name: "", privateKey: "" })).toEqual({
      namespace: [
        "Namespace name can only contain letters, numbers, dots, dashes, and underscores, and begin with a letter or number",
        "Namespace invalid owner",
      ],
      name: ["Name field required"],
      key: ["Key field required"],
    });
    expect(await refusalOf(ada, { namespace: "fresh", name: "known_hosts", privateKey: "no" })).toEqual({
      name: ["Name is reserved"],
      key: ["Key ssh: no key found"],
    });
    const { namespaces } = await runAs(as(ada.id), () => service.namespaces.listNamespaces({}));
    expect(namespaces).toEqual([]);
  });

  test("rejects a key with a passphrase", async () => {
    const cipher = { format: "pem", type: "pkcs8", cipher: "aes-256-cbc", passphrase: "secret" } as const;
    const encrypted = generateKeyPairSync("ed25519").privateKey.export(cipher) as string;
    expect(await refusalOf(ada, { privateKey: encrypted })).toEqual({ key: ["Key ssh: key is encrypted"] });
  });

  test("rejects a name that is taken after cleaning", async () => {
    await create(ada, { name: "a b" });
    expect(await refusalOf(ada, { name: "a:b" })).toEqual({ name: ["Name already exists"] });
  });

  test("rejects a namespace that the caller may not write to", async () => {
    const bob = await service.aUser();
    await service.aNamespace(bob, "open", "public");
    const denied = { namespace: ["Namespace permission denied"] };
    expect(await refusalOf(ada, { namespace: `open@${bob.username}` })).toEqual(denied);
  });
});

describe("conflict", () => {
  test("exactly one of fifty concurrent requests gets the name", async () => {
    const attempt = () => create(ada, { namespace: "raced" }).catch((error) => error.fields);
    const results = await Promise.all(Array.from({ length: 50 }, attempt));
    const winners = results.filter(({ id }) => id !== undefined);
    expect(winners).toHaveLength(1);
    const losers = results.filter((result) => !winners.includes(result));
    expect(losers).toEqual(Array(49).fill({ name: ["Name already exists"] }));
    expect((await runAs(as(ada.id), () => service.keys.listKeys({}))).keys).toEqual(winners);
  });
});

describe("events", () => {
  test("publishes ssh_keys, created", async () => {
    const key = await create(ada, { namespace: "told" });
    const expected = { kind: "ssh_keys", actorId: ada.id, namespaceId: key.namespaceId };
    await eventually(() =>
      expect(eventsOf(key.id)).toMatchObject([{ ...expected, body: { value: { action: "created", key } } }]),
    );
    expect(JSON.stringify(service.events)).not.toContain("PRIVATE");
  });
});
