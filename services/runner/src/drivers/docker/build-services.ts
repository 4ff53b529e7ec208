import { Readable } from "node:stream";
import type Docker from "dockerode";
import { raceAbort } from "../../endings/ended.js";
import { printed, type ServicesOptions, type StartedService, startServices } from "./services.js";
import type { Begin } from "./started-work.js";
import type { Surroundings } from "./surroundings.js";

interface BuildServicesOptions extends Omit<ServicesOptions, "usable" | "say" | "network" | "watched"> {
  readonly around: Pick<Surroundings, "watch" | "within" | "chosen" | "watched">;
  readonly begin: Begin;
}

/** The services of one build. */
interface BuildServices {
  /** Starts all and waits until they are ready. `usable` returns the id of an image. */
  start(usable: ServicesOptions["usable"], say: (line: string) => void, signal: AbortSignal): Promise<void>;
  /** Returns the end of what a service has printed; nothing for one that was not started. */
  output(name: string, signal: AbortSignal): AsyncIterable<Uint8Array>;
  containers(): readonly Docker.Container[];
}

export function buildServices({ around, begin, ...options }: BuildServicesOptions): BuildServices {
  const started: StartedService[] = [];
  const add = (service: StartedService) => {
    started.push(service);
    around.watch(service.container);
  };
  return {
    async start(usable, say, signal) {
      if (options.services.length === 0) return;
      const within = around.within(undefined, signal);
      await raceAbort(
        within,
        begin(async () =>
          startServices(
            { ...options, watched: around.watched, network: await around.chosen(), usable, say },
            add,
            within,
          ),
        ),
      );
    },
    output(name, signal) {
      const service = started.find((one) => one.name === name);
      return service ? printed(service.container, signal) : Readable.from([]);
    },
    containers: () => started.map(({ container }) => container),
  };
}
