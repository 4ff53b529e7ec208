import { useEffect, useRef, useState } from "preact/hooks";
import { Field, Form, textOf } from "./form.js";
import { size } from "./format.js";
import { NamespaceField } from "./owned.js";
import { type Sent, upload } from "./upload.js";

interface Props {
  readonly path: "/objects" | "/images";
  /** What is uploaded: `object`. */
  readonly noun: string;
  readonly accept?: string;
  /** Returns the name of a record for a file's name. */
  readonly nameOf: (fileName: string) => string;
  readonly namespace?: string | undefined;
  readonly done: (text: string) => void;
}

/** Uploads a file, and shows how much of it has been sent. */
export function UploadForm({ path, noun, accept, nameOf, namespace, done }: Props) {
  const [sent, setSent] = useState<Sent>();
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const submit = async (fields: FormData) => {
    const file = fields.get("file") as File;
    const name = textOf(fields, "name") || nameOf(file.name);
    const stopping = new AbortController();
    running.current = stopping;
    setSent({ sentBytes: 0, totalBytes: file.size });
    try {
      const query = { name, namespace: textOf(fields, "namespace") };
      await upload(path, query, file, { signal: stopping.signal, onProgress: setSent });
      done(`Uploaded the ${noun} ${name}.`);
    } finally {
      running.current = undefined;
      setSent(undefined);
    }
  };
  return (
    <>
      <Form action={`Upload the ${noun}`} submit={submit}>
        <Field name="file" label="File" type="file" required accept={accept} />
        <Field name="name" label="Name" hint="Leave empty to use the file's name" spellcheck={false} />
        <NamespaceField namespace={namespace} />
      </Form>
      {sent && (
        <div class="sending">
          <Progress label={`Uploading the ${noun}`} doneBytes={sent.sentBytes} totalBytes={sent.totalBytes} />
          <button type="button" onClick={() => running.current?.abort()}>
            Cancel the upload
          </button>
          <p class="quiet">Stay on this page until it is done.</p>
        </div>
      )}
    </>
  );
}

interface ProgressProps {
  readonly label: string;
  readonly doneBytes: number;
  /** Null if it is unknown. */
  readonly totalBytes: number | null;
}

/** The progress of a transfer, as a bar and in numbers. */
export const Progress = ({ label, doneBytes, totalBytes }: ProgressProps) => (
  <div class="progress">
    {totalBytes !== null && <progress aria-label={label} max={Math.max(totalBytes, 1)} value={doneBytes} />}
    <span class="quiet">
      {totalBytes === null ? `${label}: ${size(doneBytes)} so far` : `${size(doneBytes)} of ${size(totalBytes)}`}
    </span>
  </div>
);
