import { z } from "zod";
import type { EventName } from "./event-names.js";
import { eventPayloads } from "./event-payloads.js";

type Type = z.core.$ZodType;

const present = (type: Type): Type =>
  type instanceof z.ZodNullable || type instanceof z.ZodOptional ? present(type.unwrap()) : type;

// A condition is written on one line as PATH=VALUE, and a record from JSON has no field __proto__.
const isName = (name: string): boolean => /^[^=\r\n]*[^=\s]$/.test(name) && name !== "__proto__";

function fieldOf(type: Type, name: string): Type | undefined {
  if (type instanceof z.ZodObject) return Object.hasOwn(type.shape, name) ? type.shape[name] : undefined;
  return type instanceof z.ZodRecord && isName(name) ? type.valueType : undefined;
}

/**
 * Returns what decides whether a value can be at a path of an event's payload, such as `namespace.path`; undefined if the payload
 * has no such path.
 */
export function payloadField(event: EventName, path: string): ((value: unknown) => boolean) | undefined {
  const names = path.split(".");
  const type = names.reduce<Type | undefined>((at, name) => at && fieldOf(present(at), name), eventPayloads[event]);
  return type && ((value) => z.safeParse(type, value).success);
}
