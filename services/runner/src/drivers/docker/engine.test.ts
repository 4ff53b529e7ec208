import { HostTrouble } from "../../endings/errors.js";
import { EngineRefusal, engineError } from "./engine.js";

const refusal = (statusCode: number, words: string) =>
  Object.assign(new Error(`(HTTP code ${statusCode}) unexpected - ${words} `), { statusCode });

test.each([
  [404, "could not find an available, non-overlapping IPv4 address pool among the defaults to assign to the network"],
  [400, "all predefined address pools have been fully subnetted"],
  [500, "mkdir /var/lib/docker/volumes/v: no space left on device"],
  [502, "Bad Gateway"],
  [503, "No server is available to handle this request"],
  [504, "Gateway Timeout"],
])("a refusal with status %d, %p, is blamed on the host, so another runner may do the build", (statusCode, words) => {
  expect(engineError(refusal(statusCode, words))).toBeInstanceOf(HostTrouble);
});

test.each([
  [404, "network all predefined address pools have been fully subnetted not found"],
  [409, "no space left on device is already in use"],
])("a refusal with status %d, %p, is blamed on the build", (statusCode, words) => {
  expect(engineError(refusal(statusCode, words))).toBeInstanceOf(EngineRefusal);
});
