import { fillTimes } from "./fill-times.js";
import { LogView, type Window } from "./log-view.js";
import { type Opening, openingAt, type Place } from "./opening.js";
import { linesBefore, offsetOfLine, textFrom } from "./source.js";

/** What is loaded before a line that was asked for. */
const contextBytes = 16 * 1024;

export interface LogState {
  readonly window: Window;
  readonly connected: boolean;
  /** Whether the end of the output is on the page. */
  readonly finished: boolean;
  /** The line that is being looked up. */
  readonly seeking?: number | undefined;
  /** A line that was looked up in vain. */
  readonly absent?: number | undefined;
  readonly error?: unknown;
}

export const emptyLog: LogState = {
  window: { from: 0, first: 1, lines: 0, full: false },
  connected: true,
  finished: false,
};

export interface LogSource {
  readonly url: string;
  readonly job: string;
  /** Whether the job may still print. */
  readonly follows: boolean;
  /** Whether lines show their times. */
  readonly times: boolean;
}

interface Callbacks {
  readonly onState: (state: LogState) => void;
  /** Called when the job has ended while its output was shown. */
  readonly onEnd: () => void;
}

/** Loads the parts of an output that the reader asks for, and shows them in `root`. */
export class LogControl {
  readonly #root: HTMLElement;
  readonly #source: LogSource;
  readonly #callbacks: Callbacks;
  #view: LogView | undefined;
  #state = emptyLog;
  #lastPlace: Place = "newest";
  #times: boolean;
  /** Whether a view that opens follows the end. */
  #grows: boolean;
  #hasEnded: boolean;
  #isLoading = false;
  #stopping = new AbortController();
  /** The signal of the stream that is being read. */
  #streaming: AbortSignal | undefined;

  constructor(root: HTMLElement, source: LogSource, callbacks: Callbacks) {
    this.#root = root;
    this.#source = source;
    this.#callbacks = callbacks;
    this.#times = source.times;
    this.#grows = source.follows;
    this.#hasEnded = !source.follows;
  }

  open(place: Place): void {
    this.#lastPlace = place;
    this.#grows = this.#source.follows;
    this.#stopLoading();
    this.#view?.stop();
    this.#view = undefined;
    this.#root.replaceChildren();
    this.#set({ ...emptyLog, absent: undefined, seeking: typeof place === "object" ? place.line : undefined });
    this.#run(async (signal) => {
      const opening = await openingAt(this.#source.url, place, signal);
      const { start, first, absent } = opening;
      this.#set({ seeking: undefined, absent });
      if ("from" in start && start.from > 0) {
        this.#set({ window: { ...emptyLog.window, from: start.from, first } });
        this.#show(start.from, opening);
        await this.#loadEarlier(contextBytes, signal);
      }
      await this.#stream(opening, signal);
    });
  }

  /** Shows a line, and loads it if need be. */
  goTo(line: number, offset?: number): void {
    if (!this.#view?.show(line)) this.open({ line, offset });
  }

  /** Shows the end, and loads it if need be. */
  goToEnd(): void {
    if (!this.#view?.showEnd()) this.open("end");
  }

  earlier(): void {
    this.#run((signal) => this.#loadEarlier(undefined, signal));
  }

  later(): void {
    this.#run(async (signal) => {
      if (this.#view && this.#state.window.full) await this.#stream({ start: { from: this.#view.resume() } }, signal);
    });
  }

  /** Gives lines their times, from now on and those on the page. */
  showTimes(on: boolean): void {
    if (on === this.#times) return;
    this.#times = on;
    if (!on) return;
    const view = this.#view;
    if (!view) return void this.open(this.#lastPlace);
    const follows = this.#streaming !== undefined;
    this.#stopLoading();
    this.#run((signal) =>
      follows ? this.#stream({ start: { after: view.restart() } }, signal) : this.#fillTimes(signal),
    );
  }

  stop(): void {
    this.#stopping.abort();
    this.#view?.stop();
  }

  #set(change: Partial<LogState>): void {
    this.#state = { ...this.#state, ...change };
    this.#callbacks.onState(this.#state);
  }

  /** Runs until it has finished or something else is opened. */
  #run(work: (signal: AbortSignal) => Promise<void>): void {
    const { signal } = this.#stopping;
    work(signal).catch((error) => !signal.aborted && this.#set({ error, seeking: undefined }));
  }

  #stopLoading(): void {
    this.#stopping.abort();
    this.#stopping = new AbortController();
  }

  #show(from: number, { first = from === 0 ? 1 : undefined, absent, atEnd = false, ...opening }: Opening): LogView {
    const { job } = this.#source;
    const moves = { follows: this.#grows || atEnd, jumps: atEnd, waitsAtEnd: absent !== undefined };
    const wanted = first === undefined ? opening.wanted : (opening.wanted ?? absent);
    const onChange = (window: Window) =>
      this.#set(wanted !== undefined && window.wanted === undefined ? { window, absent: undefined } : { window });
    this.#view = new LogView(this.#root, { job, from, first, wanted, ...moves, onChange });
    return this.#view;
  }

  async #stream(opening: Opening, signal: AbortSignal): Promise<void> {
    const onConnection = (connected: boolean) => this.#set({ connected });
    const reading = { onConnection, timestamps: this.#times, onSoFar: () => this.#follow(signal) };
    this.#streaming = signal;
    try {
      for await (const { text, from, timed, first } of textFrom(this.#source.url, opening.start, signal, reading)) {
        const view = this.#view ?? this.#show(from, { first, ...opening });
        if (!(await view.append(text, timed))) return await this.#fillTimes(signal);
      }
    } finally {
      if (this.#streaming === signal) this.#streaming = undefined;
    }
    if (!signal.aborted) await this.#finish(signal);
  }

  /** Shows that the output has ended, and looks for a line that was not printed before. */
  async #finish(signal: AbortSignal): Promise<void> {
    if (this.#source.follows) this.#callbacks.onEnd();
    await this.#view?.drawn();
    if (signal.aborted) return;
    this.#view?.end();
    const line = this.#hasEnded ? undefined : this.#state.absent;
    this.#hasEnded = true;
    if (line !== undefined && !this.#view?.hasMoved()) return this.open({ line });
    this.#set({ finished: true, connected: true, ...(line === undefined ? {} : { absent: undefined }) });
    if (line === undefined || (await offsetOfLine(this.#source.url, line, signal)) !== undefined) return;
    if (!signal.aborted) this.#set({ absent: line });
  }

  /** Follows what comes after the text so far. The job of a service passes long before its output ends. */
  async #follow(signal: AbortSignal): Promise<void> {
    await this.#view?.drawn();
    if (signal.aborted) return;
    this.#grows = true;
    this.#view?.follow();
    await this.#fillTimes(signal);
  }

  /** Gives lines on the page their times, if the reader wants them. */
  async #fillTimes(signal: AbortSignal): Promise<void> {
    if (!this.#times) return;
    const view = this.#view;
    await view?.drawn();
    for (let block = view?.untimed(); block && !signal.aborted; block = view?.untimed())
      if (!(await fillTimes(this.#source.url, block, signal))) return;
  }

  async #loadEarlier(bytes: number | undefined, signal: AbortSignal): Promise<void> {
    const { from } = this.#state.window;
    if (from === 0 || this.#isLoading) return;
    this.#isLoading = true;
    try {
      const lines = await linesBefore(this.#source.url, from, signal, bytes);
      if (!signal.aborted) await this.#view?.prepend(lines.text, lines.bytes);
    } finally {
      this.#isLoading = false;
    }
    await this.#fillTimes(signal);
  }
}
