import type { Handler } from "../command.js";
import { downloadContent } from "../download-content.js";
import type { Specs } from "../specs.js";

export const run: Handler<Specs["objects download"]> = (io, input) => downloadContent(io, "objects show", input);
