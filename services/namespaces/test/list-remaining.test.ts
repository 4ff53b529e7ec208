import { runAs } from "@ci/kit/rpc/caller";
import { suite } from "@ci/testkit/suite";
import { uploadMessages } from "@ci/testkit/uploads";
import { bootResources, privateKey } from "./_resources.js";
import { as } from "./_suite.js";

const own = suite();
let service: Awaited<ReturnType<typeof bootResources>>;
beforeAll(async () => {
  service = await bootResources(own);
});
afterAll(() => service.close());

describe("succeeds", () => {
  test("returns the ids of records that still exist, by kind", async () => {
    const ada = await service.aUser();
    const asAda = <T>(work: () => Promise<T>) => runAs(as(ada.id), work);
    const variable = (key: string) =>
      asAda(() => service.variables.createVariable({ key, value: "v", namespace: "", mask: false }));
    const key = (name: string) => asAda(() => service.keys.createKey({ name, config: "", privateKey, namespace: "" }));
    const object = (name: string) => asAda(() => service.objects.uploadObject(uploadMessages(name, "text", "")));
    const variableIds = [(await variable("a")).variable!.id, (await variable("b")).variable!.id];
    const keyIds = [(await key("a")).key!.id, (await key("b")).key!.id, (await key("c")).key!.id];
    const objectIds = [(await object("a")).object!.id];
    const request = { variableIds, keyIds, objectIds };
    const { listRemaining } = service.buildInputs;
    expect(await listRemaining(request)).toEqual(request);
    await asAda(() => service.variables.deleteVariable({ id: variableIds[0]! }));
    await asAda(() => service.keys.deleteKey({ id: keyIds[1]! }));
    await asAda(() => service.objects.deleteObject({ id: objectIds[0]! }));
    expect(await listRemaining({ ...request, variableIds: [...variableIds, 999_999] })).toEqual({
      variableIds: [variableIds[1]],
      keyIds: [keyIds[0], keyIds[2]],
      objectIds: [],
    });
    expect(await listRemaining({ variableIds: [], keyIds: [], objectIds: [] })).toEqual({
      variableIds: [],
      keyIds: [],
      objectIds: [],
    });
  });
});
