import type { CreateCronRequest, Cron, UpdateCronRequest } from "@ci/proto/builds/v1/crons";
import type { User } from "@ci/proto/namespaces/v1/accounts";
import type { Namespace } from "@ci/proto/namespaces/v1/namespaces";
import { eventually } from "@ci/testkit/eventually";
import { type bootBuilds, manifest } from "./_suite.js";

export const dayMs = 24 * 60 * 60 * 1_000;
let names = 0;

/** Helpers for the cron jobs of a booted service. The clock starts at noon, so that no midnight falls into a test. */
export const cronsOf = (suite: ReturnType<typeof bootBuilds>) => {
  beforeAll(() => suite.advanceClock(dayMs - ((Date.now() + dayMs / 2) % dayMs)));
  const tools = {
    create: async (user: User, request: Partial<CreateCronRequest> = {}): Promise<Cron> => {
      const complete = { name: `job ${++names}`, manifest, ...request };
      return (await suite.as(user, () => suite.crons.createCron(complete))).cron!;
    },
    get: async (user: User, id: number): Promise<Cron> =>
      (await suite.as(user, () => suite.crons.getCron({ id }))).cron!,
    list: (user: User, search = "", number?: number) =>
      suite.as(user, () => suite.crons.listCrons({ search, page: number === undefined ? undefined : { number } })),
    update: async (user: User, request: Partial<UpdateCronRequest> & { id: number }): Promise<Cron> =>
      (await suite.as(user, () => suite.crons.updateCron(request))).cron!,
    remove: (user: User, id: number) => suite.as(user, () => suite.crons.deleteCron({ id })),
    /** Returns the builds of a cron job that this user may view, newest first. */
    buildsOf: async (user: User, cronId: number) =>
      (await suite.as(user, () => suite.builds.listBuilds({ cronId, tag: "", search: "" }))).builds,
    /** Advances the clock to `ms` after the next run of a cron job. */
    advancePast(cron: Cron, ms = 0) {
      suite.advanceClock(cron.nextRun!.getTime() - suite.now().getTime() + ms);
    },
    /** Waits until a cron job has run and returns it. */
    afterRun: (user: User, before: Cron) =>
      eventually(async () => {
        const after = await tools.get(user, before.id);
        if (after.nextRun!.getTime() === before.nextRun!.getTime()) throw new Error("It has not run");
        return after;
      }),
    /** Makes a user a collaborator of another user's namespace. */
    async invite(owner: User, namespace: Namespace, user: User) {
      const request = { namespaceId: namespace.id, handle: user.username };
      const { invite } = await suite.as(owner, () => suite.accounts.namespaces.sendInvite(request));
      await suite.as(user, () => suite.accounts.namespaces.acceptInvite({ id: invite!.id }));
    },
    /** Returns the events of a cron job, oldest first. */
    events: (id: number) =>
      suite.events.flatMap((event) =>
        event.body?.$case === "cron" && event.body.value.cron?.id === id
          ? [{ action: event.body.value.action, ...event, cron: event.body.value.cron }]
          : [],
      ),
  };
  return tools;
};
