import { runAs } from "@ci/kit/rpc/caller";
import type { User } from "@ci/proto/namespaces/v1/accounts";
import { eventually } from "@ci/testkit/eventually";
import { suite } from "@ci/testkit/suite";
import { bootResources, refusal } from "./_resources.js";
import { as } from "./_suite.js";

const own = suite();
let service: Awaited<ReturnType<typeof bootResources>>;
let ada: User;
let bob: User;

beforeAll(async () => {
  service = await bootResources(own);
  [ada, bob] = await Promise.all([service.aUser(), service.aUser()]);
});
afterAll(() => service.close());

let keys = 0;
const create = async (value: string, mask: boolean, namespace = "") =>
  (await runAs(as(ada.id), () => service.variables.createVariable({ key: `K${++keys}`, value, namespace, mask })))
    .variable!;
const update = async (id: number, change: { value?: string; mask?: boolean }, user = ada) =>
  (await runAs(as(user.id), () => service.variables.updateVariable({ id, ...change }))).variable!;
/** Returns the value that builds get. */
const stored = async (id: number) => {
  const { variables } = await service.buildInputs.getBuildInputs({ userId: ada.id });
  return variables.find((one) => one.id === id);
};

describe("succeeds", () => {
  test.each([
    ["an open value", "open", false, { value: "new" }, { value: "new", masked: false }],
    ["a masked value, which stays masked", "secret", true, { value: "another secret" }, { masked: true }],
    ["an open value and masks it", "open", false, { value: "secret", mask: true }, { value: "secret", masked: true }],
    ["nothing but the mask", "long enough", false, { mask: true }, { value: "long enough", masked: true }],
    ["a masked value and shows it", "secret", true, { value: "x", mask: false }, { value: "x", masked: false }],
    ["nothing", "open", false, {}, { value: "open", masked: false }],
  ] as const)("changes %s", async (_title, value, mask, change, after) => {
    const before = await create(value, mask);
    const changed = await update(before.id, change);
    expect(changed).toEqual({ ...before, masked: after.masked, value: after.masked ? "xxxxxx" : changed.value });
    expect(await stored(before.id)).toMatchObject(after);
  });

  test("each change is an event, which hides a masked value", async () => {
    const { id } = await create("open", false);
    await update(id, {});
    await update(id, { value: "secret", mask: true });
    const events = () =>
      service.events.flatMap(({ body }) =>
        body?.$case === "variable" && body.value.variable?.id === id ? [body.value] : [],
      );
    await eventually(() => expect(events()).toHaveLength(2));
    expect(events()[1]).toMatchObject({ action: "updated", variable: { value: "xxxxxx", masked: true } });
  });

  test("concurrent changes never show a value that was meant to be masked", async () => {
    for (let round = 0; round < 10; round++) {
      const { id } = await create("long enough", false);
      // A short value cannot be masked, so one of the two has to lose.
      const outcomes = await Promise.allSettled([update(id, { mask: true }), update(id, { value: "ab" })]);
      const { value, masked } = (await stored(id))!;
      expect(outcomes.some(({ status }) => status === "fulfilled")).toBe(true);
      expect([value, masked]).not.toEqual(["ab", true]);
    }
  });
});

describe("invalid", () => {
  test.each([
    ["an empty value", "open", false, { value: "" }, "Value field required"],
    ["a short masked value", "open", false, { value: "ab", mask: true }, "Value cannot be shorter than 6 characters"],
    ["masking a short value", "ab", false, { mask: true }, "Value cannot be shorter than 6 characters"],
    ["showing a masked value", "secret", true, { mask: false }, "Value field required to show a masked variable"],
    ["a long value", "open", false, { value: "x".repeat(65_537) }, "Value cannot be longer than 65536 bytes"],
  ] as const)("%s", async (_title, value, mask, change, complaint) => {
    const { id } = await create(value, mask);
    expect(await refusal(update(id, change))).toEqual({ value: [expect.stringContaining(complaint)] });
    expect(await stored(id)).toMatchObject({ value, masked: mask });
  });
});

test("not_found for users who may not change it", async () => {
  await service.aNamespace(ada, "open", "public");
  const { id } = await create("open", false, "open");
  expect(await refusal(update(id, { value: "changed" }, bob))).toBe("not_found");
  expect(await refusal(update(999_999, { value: "changed" }))).toBe("not_found");
});
