import type { Axes } from "@ci/manifest/matrix";
import type { Build_Status } from "@ci/proto/builds/v1/builds";

interface JobEvent {
  readonly name: string;
  readonly stage: string;
  readonly status: Build_Status;
  readonly seconds?: number | undefined;
  readonly exit_code?: number | undefined;
  readonly reason?: string | undefined;
}

interface Data {
  readonly build: { readonly number: number; readonly axes: Axes; readonly jobs: readonly string[] };
  /** A job has started or ended. */
  readonly job: JobEvent;
  /** Text as it arrives, not necessarily whole lines. Secrets are masked. */
  readonly output: { readonly job: string; readonly text: string };
  /** A test case that failed. */
  readonly test: { readonly suite: string; readonly name: string; readonly message: string };
  readonly artifact: { readonly name: string; readonly source: string; readonly path: string; readonly size: number };
  /** The files of the jobs were copied, unless there is an error. */
  readonly kept: { readonly path: string; readonly error?: string | undefined };
  readonly end: {
    readonly number: number;
    readonly status: Build_Status;
    readonly seconds: number;
    readonly reason?: string | undefined;
    readonly jobs: readonly JobEvent[];
  };
}

/** What happens during a run, in order. */
export type LocalEvent = { [K in keyof Data]: { readonly event: K; readonly data: Data[K] } }[keyof Data];

/** Handles an event. The run waits until it returns. */
export type Emit = (event: LocalEvent) => Promise<void>;
