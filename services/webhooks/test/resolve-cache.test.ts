import { type Bus, connectBus } from "@ci/kit/bus/bus";
import { outboxEvent } from "@ci/kit/mongo/document";
import { createLog } from "@ci/kit/process/log";
import { type ResolveRequest, User } from "@ci/proto/namespaces/v1/accounts";
import { Namespace } from "@ci/proto/namespaces/v1/namespaces";
import { eventually } from "@ci/testkit/eventually";
import { suite } from "@ci/testkit/suite";
import { cachingResolve } from "../src/delivery/resolve-cache.js";

const names = suite();
let bus: Bus;
beforeAll(async () => {
  bus = await connectBus(names.natsUrl, names.subjectPrefix, "test", createLog("test", "silent"));
});
afterAll(() => bus[Symbol.asyncDispose]());

/** Returns a client that records its requests and knows the namespaces 10 and 11 of the users 1 and 2. */
function recordingClient() {
  const requests: ResolveRequest[] = [];
  const client = {
    async resolve(request: ResolveRequest) {
      requests.push(request);
      const namespaces = request.namespaceIds.map((id) => Namespace.fromPartial({ id, userId: id - 9 }));
      const userIds = [...new Set([...request.userIds, ...namespaces.map(({ userId }) => userId)])];
      return { users: userIds.map((id) => User.fromPartial({ id })), namespaces };
    },
  };
  const { resolve } = cachingResolve(client, bus, 600_000);
  const ids = async (userIds: number[], namespaceIds: number[]) => {
    const { users, namespaces } = await resolve({ userIds, namespaceIds });
    return [users, namespaces].map((all) => all.map(({ id }) => id).sort());
  };
  return { ids, requests };
}

it("the cache requests only missing records, and returns the owners of all namespaces", async () => {
  const { ids, requests } = recordingClient();
  expect(await ids([3], [10])).toEqual([[1, 3], [10]]);
  expect(await ids([], [10])).toEqual([[1], [10]]);
  expect(await ids([1, 3], [10, 11])).toEqual([
    [1, 2, 3],
    [10, 11],
  ]);
  expect(requests).toEqual([
    { userIds: [3], namespaceIds: [10] },
    { userIds: [], namespaceIds: [11] },
  ]);
});

it.each(["namespaces", "users"])("the cache requests records again after an event about %s", async (kind) => {
  const { ids, requests } = recordingClient();
  await ids([1], [10]);
  await eventually(async () => {
    await bus.publish(outboxEvent({ kind, at: new Date(), body: undefined }));
    await ids([1], [10]);
    expect(requests.length).toBeGreaterThan(1);
  });
});
