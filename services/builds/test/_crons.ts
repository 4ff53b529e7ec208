import type { CreateCronRequest, Cron, UpdateCronRequest } from "@ci/proto/builds/v1/crons";
import type { User } from "@ci/proto/namespaces/v1/accounts";
import type { Namespace } from "@ci/proto/namespaces/v1/namespaces";
import { eventually } from "@ci/testkit/eventually";
import { type bootBuilds, manifest } from "./_suite.js";

export const dayMs = 24 * 60 * 60 * 1_000;
let names = 0;

/** Ways to use the cron jobs of a booted service, at noon: no midnight comes unasked. */
export const cronsOn = (on: ReturnType<typeof bootBuilds>) => {
  beforeAll(() => on.later(dayMs - ((Date.now() + dayMs / 2) % dayMs)));
  const tools = {
    create: async (user: User, ask: Partial<CreateCronRequest> = {}): Promise<Cron> => {
      const whole = { name: `job ${++names}`, manifest, ...ask };
      return (await on.as(user, () => on.crons.createCron(whole))).cron!;
    },
    get: async (user: User, id: number): Promise<Cron> => (await on.as(user, () => on.crons.getCron({ id }))).cron!,
    list: (user: User, search = "", number?: number) =>
      on.as(user, () => on.crons.listCrons({ search, page: number === undefined ? undefined : { number } })),
    update: async (user: User, ask: Partial<UpdateCronRequest> & { id: number }): Promise<Cron> =>
      (await on.as(user, () => on.crons.updateCron(ask))).cron!,
    remove: (user: User, id: number) => on.as(user, () => on.crons.deleteCron({ id })),
    /** The builds that a cron job has made and that this user may view, newest first. */
    madeBy: async (user: User, cronId: number) =>
      (await on.as(user, () => on.builds.listBuilds({ cronId, tag: "", search: "" }))).builds,
    /** Turns the clock to `ms` after the next run of a cron job. */
    turnPast(cron: Cron, ms = 0) {
      on.later(cron.nextRun!.getTime() - on.now().getTime() + ms);
    },
    /** The cron job once its next run is another than the one it had. */
    ranOn: (user: User, before: Cron) =>
      eventually(async () => {
        const after = await tools.get(user, before.id);
        if (after.nextRun!.getTime() === before.nextRun!.getTime()) throw new Error("It has not run");
        return after;
      }),
    /** Lets a user work in a namespace of another's. */
    async invite(owner: User, namespace: Namespace, user: User) {
      const ask = { namespaceId: namespace.id, handle: user.username };
      const { invite } = await on.as(owner, () => on.accounts.namespaces.sendInvite(ask));
      await on.as(user, () => on.accounts.namespaces.acceptInvite({ id: invite!.id }));
    },
    /** What was told about a cron job, oldest first. */
    told: (id: number) =>
      on.events.flatMap((event) =>
        event.body?.$case === "cron" && event.body.value.cron?.id === id
          ? [{ action: event.body.value.action, ...event, cron: event.body.value.cron }]
          : [],
      ),
  };
  return tools;
};
