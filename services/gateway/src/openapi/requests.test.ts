import { scalarsByName, texts } from "../http/shape.js";
import { bodyOf } from "./requests.js";

const asForm = "The same fields may be sent as a form, urlencoded or multipart";

test.each([
  [{ events: texts }, asForm],
  [{ events: texts, filter: scalarsByName.describe("x") }, `${asForm}; \`filter\` can only be empty there`],
])("a description says which fields a form can only leave empty: %#", (body, description) =>
  expect(bodyOf({ summary: "x", body, run: async () => undefined })).toMatchObject({ requestBody: { description } }),
);
