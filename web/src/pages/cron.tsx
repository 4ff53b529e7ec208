import { type components, record } from "@service-ci/client";
import { useState } from "preact/hooks";
import { base, client, pageOf } from "../api.js";
import { NewestBuilds } from "../build-list.js";
import { Field, Form, Remove, textOf } from "../form.js";
import { ahead, moment } from "../format.js";
import { type AddProps, listPage, type RowProps } from "../list-page.js";
import { go } from "../location.js";
import { exampleManifest, ManifestEditor } from "../manifest-editor.js";
import { Facts, ownersOf, Where } from "../owned.js";
import { Ago, Complaint } from "../parts.js";
import { OneRecord } from "../record-page.js";
import { goAndSay } from "../said.js";
import { useWork } from "../work.js";

type Cron = components["schemas"]["Cron"];

const at = (id: number) => ({ params: { path: { id } } });
const remove = ({ id }: Cron) => client.api.DELETE("/cron/{id}", at(id));

/** When the next build is due. */
const Next = ({ time, now }: { time: string; now: number }) => (
  <time dateTime={time}>{`${moment(time)}, ${ahead(time, now)}`}</time>
);

const Row = ({ record: cron, now, done }: RowProps<Cron>) => (
  <>
    <div class="what">
      <a href={pageOf(cron.url)}>{cron.name}</a>
      <div class="quiet">
        <Where record={cron} />
        <span>{`${cron.schedule} ${cron.timezone}`}</span>
        <span>
          next run <Next time={cron.next_run} now={now} />
        </span>
        {cron.prev_run && (
          <span>
            last one <Ago time={cron.prev_run} now={now} />
          </span>
        )}
        {cron.last_error && <span class="reason">{cron.last_error}</span>}
      </div>
    </div>
    <Remove
      what={`the cron job ${cron.name}`}
      work={() => remove(cron)}
      onDone={() => done(`Deleted the cron job ${cron.name}. Its builds are kept.`)}
    />
  </>
);

const schedules = ["hourly", "daily", "weekly", "monthly"];
const zones = ["UTC", ...Intl.supportedValuesOf("timeZone")];

/** The fields of a cron job, new or existing. */
function CronForm({
  cron,
  action,
  submit,
}: {
  cron?: Cron;
  action: string;
  submit: (body: CronBody) => Promise<void>;
}) {
  const [manifest, setManifest] = useState(cron?.manifest ?? exampleManifest);
  const send = (fields: FormData) =>
    submit({
      name: textOf(fields, "name"),
      schedule: textOf(fields, "schedule"),
      timezone: textOf(fields, "timezone"),
      manifest,
    });
  return (
    <Form action={action} submit={send}>
      <Field name="name" label="Name" required defaultValue={cron?.name ?? ""} />
      <Field
        name="schedule"
        label="Schedule"
        required
        proposals={schedules}
        defaultValue={cron?.schedule ?? "daily"}
        hint="hourly, daily, weekly, monthly, or five fields such as 30 4 * * 1-5"
      />
      <Field
        name="timezone"
        label="Time zone"
        required
        proposals={zones}
        defaultValue={cron?.timezone ?? "UTC"}
        hint="For example Europe/Berlin"
      />
      <ManifestEditor manifest={manifest} onChange={setManifest} />
    </Form>
  );
}

interface CronBody {
  readonly name: string;
  readonly schedule: string;
  readonly timezone: string;
  readonly manifest: string;
}

const Add = ({ done }: AddProps) => (
  <CronForm
    action="Create the cron job"
    submit={async (body) => {
      const cron = await record(client.api.POST("/cron", { body }));
      done(`Created the cron job ${cron.name}. Its first build is due ${moment(cron.next_run)}.`);
    }}
  />
);

/** The cron jobs of the user and of the user's namespaces. */
export const CronsPage = listPage<Cron>({
  section: "cron",
  title: "Cron jobs",
  about: (
    <>
      Builds on a schedule. They belong to the <code>namespace</code> in the manifest.
    </>
  ),
  empty: <p>There are no cron jobs yet. Create one with the form above.</p>,
  add: { title: "New cron job", Form: Add },
  Row,
});

/** Submits the build of a cron job now, and opens it. */
function Run({ cron: { id } }: { cron: Cron }) {
  const { busy, failure, start } = useWork(() => {});
  const run = async () => {
    const build = await record(client.api.POST("/cron/{id}/run", at(id)));
    go(pageOf(build.url) ?? base);
  };
  return (
    <>
      <button type="button" aria-disabled={busy} onClick={() => busy || start(run)}>
        Run now
      </button>
      {failure !== undefined && <Complaint error={failure} />}
    </>
  );
}

/** One cron job with its builds. */
export const CronPage = () => (
  <OneRecord<Cron>
    kind="Cron job"
    nameOf={({ name }) => name}
    actions={(cron) => (
      <>
        <Run cron={cron} />
        <Remove
          what={`the cron job ${cron.name}`}
          work={() => remove(cron)}
          onDone={() => goAndSay(`${base}/cron`, `Deleted the cron job ${cron.name}. Its builds are kept.`)}
        />
      </>
    )}
  >
    {(cron, now, done) => (
      <>
        <Facts
          of={{
            Schedule: `${cron.schedule} ${cron.timezone}`,
            "Next run": <Next time={cron.next_run} now={now} />,
            "Last run": cron.prev_run ? <Ago time={cron.prev_run} now={now} /> : "none yet",
            ...(cron.last_error ? { "Last error": <span class="reason">{cron.last_error}</span> } : {}),
            ...ownersOf(cron, now),
          }}
        />
        <section aria-label="Newest builds">
          <h2>Newest builds</h2>
          <NewestBuilds
            address={`/cron/${cron.id}/builds`}
            empty="No builds yet. Run the cron job now, or wait for its schedule."
          />
          <p>
            <a href={`${pageOf(cron.url)}/builds`}>All builds</a>
          </p>
        </section>
        <section aria-label="Change">
          <h2>Change</h2>
          <CronForm
            cron={cron}
            action="Save"
            submit={async (body) => {
              await client.api.PATCH("/cron/{id}", { ...at(cron.id), body });
              done("Changed the cron job.");
            }}
          />
        </section>
      </>
    )}
  </OneRecord>
);
