// Makes JSON schemas of proto messages as ts-proto writes them: int64 as numbers, default values left out.

/**
 * A message, an enum or a file as buf describes it in JSON, and a JSON schema.
 * @typedef {Record<string, any>} Described
 * @typedef {Record<string, any>} Schema
 * @typedef {{ kind: "message" | "enum", type: Described, name: string, comment: (rest: string) => string | undefined }} Declared
 */

/** @type {Record<string, Schema>} */
const scalars = {
  TYPE_STRING: { type: "string", default: "" },
  TYPE_BOOL: { type: "boolean", default: false },
  TYPE_BYTES: { type: "string", contentEncoding: "base64", default: "" },
  TYPE_DOUBLE: { type: "number", default: 0 },
  TYPE_FLOAT: { type: "number", default: 0 },
};
const integer = { type: "integer", default: 0 };
const time = { type: "string", format: "date-time" };

/** `.ci.builds.v1.Build` -> `ci.builds.v1.Build`. @param {string} typeName */
const nameOf = (typeName) => typeName.replace(/^\./, "");

/** Returns leading comments by the path of their declaration. @param {Described} file @returns {Map<string, string>} */
const commentsOf = ({ sourceCodeInfo }) =>
  new Map(
    (sourceCodeInfo?.location ?? []).map((/** @type {Described} */ { path = [], leadingComments = "" }) => [
      path.join("."),
      leadingComments.trim().split(/\s+/).join(" "),
    ]),
  );

/** Returns every message and enum of a file with its comments, nested ones too. @param {Described} file */
function declarationsOf(file) {
  const comments = commentsOf(file);
  const found = /** @type {Declared[]} */ ([]);
  /**
   * @param {Declared["kind"]} kind
   * @param {Described[] | undefined} list
   * @param {string} prefix name of the parent
   * @param {string} path path of the parent
   * @param {number} field
   */
  function visit(kind, list, prefix, path, field) {
    for (const [nth, type] of (list ?? []).entries()) {
      const [name, at] = [`${prefix}.${type.name}`, `${path}${field}.${nth}`];
      found.push({ kind, type, name, comment: (rest) => comments.get(at + rest) || undefined });
      if (kind === "enum") continue;
      visit("message", type.nestedType, name, `${at}.`, 3);
      visit("enum", type.enumType, name, `${at}.`, 4);
    }
  }
  visit("message", file.messageType, file.package, "", 4);
  visit("enum", file.enumType, file.package, "", 5);
  return found;
}

/**
 * Returns the schema of each message of a built image by full name. They refer to each other as `#/$defs/<name>`.
 * @param {{ file: Described[] }} image
 * @returns {Map<string, Schema>}
 */
export function messagesOf({ file }) {
  const declared = file.flatMap(declarationsOf);
  const types = new Map(declared.map((one) => [one.name, one]));

  /** @param {Described} field @returns {Schema} */
  function single({ type, typeName, proto3Optional, oneofIndex }) {
    const hasDefault = !proto3Optional && oneofIndex === undefined;
    const without = (/** @type {Schema} */ { default: unset, ...schema }) =>
      hasDefault ? { ...schema, default: unset } : schema;
    if (type === "TYPE_ENUM") {
      const values = types.get(nameOf(typeName))?.type.value.map((/** @type {Described} */ { name }) => name);
      return without({ enum: values, default: values[0] });
    }
    if (type !== "TYPE_MESSAGE") return without(scalars[type] ?? integer);
    return typeName === ".google.protobuf.Timestamp" ? time : { $ref: `#/$defs/${nameOf(typeName)}` };
  }

  /** @param {Described} field @returns {Schema} */
  function property(field) {
    const entry = types.get(nameOf(field.typeName ?? ""))?.type;
    if (entry?.options?.mapEntry) {
      const { default: unset, ...value } = single(entry.field[1]);
      return { type: "object", additionalProperties: value, default: {} };
    }
    if (field.label !== "LABEL_REPEATED") return single(field);
    const { default: unset, ...items } = single(field);
    return { type: "array", items, default: [] };
  }

  const schemas = declared
    .filter(({ kind, type }) => kind === "message" && !type.options?.mapEntry)
    .map(({ type, name, comment }) => {
      const properties = (type.field ?? []).map((/** @type {Described} */ field, /** @type {number} */ nth) => [
        field.jsonName,
        { ...property(field), ...describing(comment(`.2.${nth}`)) },
      ]);
      const schema = { type: "object", ...describing(comment("")), properties: Object.fromEntries(properties) };
      return /** @type {[string, Schema]} */ ([name, schema]);
    });
  return new Map(schemas);
}

const describing = (/** @type {string | undefined} */ description) => (description ? { description } : {});
