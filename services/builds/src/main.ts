import { run } from "@ci/kit/process/run";
import { readConfig } from "./config.js";
import { start } from "./service.js";

void run(async () => start(readConfig()));
