import type { BuildInputHandlers, Context, KeyHandlers, ObjectHandlers, VariableHandlers } from "../context.js";
import { createKey } from "./create-key.js";
import { createVariable } from "./create-variable.js";
import { deleteKey } from "./delete-key.js";
import { deleteObject } from "./delete-object.js";
import { deleteVariable } from "./delete-variable.js";
import { getBuildInputs } from "./get-build-inputs.js";
import { getKey } from "./get-key.js";
import { getObject } from "./get-object.js";
import { getVariable } from "./get-variable.js";
import { listKeys } from "./list-keys.js";
import { listObjects } from "./list-objects.js";
import { listRemaining } from "./list-remaining.js";
import { listVariables } from "./list-variables.js";
import { readObject } from "./read-object.js";
import { updateKey } from "./update-key.js";
import { updateVariable } from "./update-variable.js";
import { uploadObject } from "./upload-object.js";

export const resourceHandlers = (
  ctx: Context,
): { object: ObjectHandlers; variable: VariableHandlers; key: KeyHandlers; buildInput: BuildInputHandlers } => ({
  object: {
    uploadObject: uploadObject(ctx),
    getObject: getObject(ctx),
    listObjects: listObjects(ctx),
    deleteObject: deleteObject(ctx),
    readObject: readObject(ctx),
  },
  variable: {
    createVariable: createVariable(ctx),
    getVariable: getVariable(ctx),
    listVariables: listVariables(ctx),
    updateVariable: updateVariable(ctx),
    deleteVariable: deleteVariable(ctx),
  },
  key: {
    createKey: createKey(ctx),
    getKey: getKey(ctx),
    listKeys: listKeys(ctx),
    updateKey: updateKey(ctx),
    deleteKey: deleteKey(ctx),
  },
  buildInput: { getBuildInputs: getBuildInputs(ctx), listRemaining: listRemaining(ctx) },
});
