import { Callers, Callers_Service } from "@ci/proto/common/v1/callers";

export type ServiceName = Callers_Service;

export const serviceNames = Object.values(Callers_Service);

export const isServiceName = (text: string): text is ServiceName => serviceNames.some((name) => name === text);

/** The part of a method's definition that this module reads; the generated definitions and nice-grpc both have it. */
export interface Rpc {
  readonly options?: object;
}

const nobody = Callers.fromPartial({});
/** Field 50861 of `MethodOptions`, as wire tag of a message. */
const tag = (50_861 << 3) | 2;

function readCallers(options: object): Callers {
  const { _unknownFields: fields } = options as { _unknownFields?: Readonly<Record<number, readonly Uint8Array[]>> };
  const field = fields?.[tag]?.[0];
  // The message comes after its length, which is one byte for so short a message.
  return field ? Callers.decode(field.subarray(1)) : nobody;
}

const read = new WeakMap<object, Callers>();

/** Returns the services that may call an RPC, as its option in the proto says. Without the option, nobody may. */
export function callersOf({ options }: Rpc): Callers {
  if (!options) return nobody;
  const callers = read.get(options) ?? readCallers(options);
  read.set(options, callers);
  return callers;
}
