import { type components, record } from "@service-ci/client";
import { client, pageOf } from "../../api.js";
import { Field, Form, Remove, textOf } from "../../form.js";
import { type AddProps, listPage, type RowProps } from "../../list-page.js";
import { Facts, listOf, NamespaceField, ownersOf, Where } from "../../owned.js";
import { Ago } from "../../parts.js";
import { OneRecord } from "../../record-page.js";
import { goAndSay } from "../../said.js";
import { Progress, UploadForm } from "../../upload-form.js";

type Image = components["schemas"]["Image"];

const at = (id: number) => ({ params: { path: { id } } });
const remove = ({ id }: Image) => client.api.DELETE("/images/{id}", at(id));

const arrives = ({ download }: Image): boolean => download !== null && download.finished_at === null;
const refreshMs = 2_000;

/** The progress of an image that the server is downloading. */
function Arrival({ image: { name, download } }: { image: Image }) {
  if (!download) return null;
  if (download.error) return <span class="reason">{`download failed: ${download.error}`}</span>;
  if (download.finished_at) return null;
  if (!download.started_at) return <span>waiting to download</span>;
  return <Progress label={`Download of ${name}`} doneBytes={download.received ?? 0} totalBytes={download.total} />;
}

const DownloadLink = ({ image: { name, content_url }, button }: { image: Image; button?: boolean }) =>
  content_url ? (
    <a
      class={button ? "button" : undefined}
      href={pageOf(content_url)}
      rel="external"
      download
      aria-label={`Download ${name}`}
    >
      Download
    </a>
  ) : null;

const Row = ({ record: image, now, mixed, done }: RowProps<Image>) => (
  <>
    <div class="what">
      <a href={pageOf(image.url)}>{image.name}</a>
      <div class="quiet">
        {mixed && <Where record={image} />}
        <span>{image.driver}</span>
        <Ago time={image.created_at} now={now} />
        <Arrival image={image} />
      </div>
    </div>
    <DownloadLink image={image} />
    <Remove
      what={`the image ${image.name}`}
      work={() => remove(image)}
      onDone={() => done(`Deleted the image ${image.name}.`)}
    />
  </>
);

/** Names of images have no dots. */
const nameOf = (fileName: string): string => fileName.replace(/\.\w+$/, "").replace(/[^\w-]+/g, "-");

function Add({ namespace, done }: AddProps) {
  const fetchIt = async (fields: FormData) => {
    const body = {
      name: textOf(fields, "name"),
      namespace: textOf(fields, "namespace"),
      download_url: textOf(fields, "download_url"),
    };
    const image = await record(client.api.POST("/images", { body }));
    done(`The server is downloading the image ${image.name}.`);
  };
  return (
    <>
      <h2>Upload a file</h2>
      <UploadForm path="/images" noun="image" accept=".qcow2,.img" nameOf={nameOf} namespace={namespace} done={done} />
      <h2>Or let the server download it</h2>
      <Form action="Download the image" submit={fetchIt}>
        <Field name="download_url" label="Address" type="url" required secret hint="http, https or sftp" />
        <Field name="name" label="Name" required spellcheck={false} />
        <NamespaceField namespace={namespace} />
      </Form>
    </>
  );
}

/** The images of the user, or of a namespace. */
export const ImagesPage = listPage<Image>({
  section: "images",
  title: "Images",
  about: "Disk images (QCOW2) for builds in virtual machines: driver qemu.",
  empty: <p>There are no images yet. Upload one with the form above, or use a base image of this installation.</p>,
  add: { title: "New image", Form: Add },
  everyMs: (images) => (images.some(arrives) ? refreshMs : undefined),
  Row,
});

/** One image, with the progress of its download. */
export function ImagePage() {
  return (
    <OneRecord<Image>
      kind="Image"
      everyMs={(image) => (arrives(image) ? refreshMs : undefined)}
      nameOf={({ name }) => name}
      actions={(image) => (
        <>
          <DownloadLink image={image} button />
          <Remove
            what={`the image ${image.name}`}
            work={() => remove(image)}
            onDone={() => goAndSay(listOf("images", image), `Deleted the image ${image.name}.`)}
          />
        </>
      )}
    >
      {(image, now) => (
        <Facts
          of={{
            Driver: image.driver,
            ...(image.download && {
              "Downloaded from": image.download.source,
              ...(image.content_url ? {} : { Download: <Arrival image={image} /> }),
            }),
            ...ownersOf(image, now),
          }}
        />
      )}
    </OneRecord>
  );
}
