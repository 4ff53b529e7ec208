import { type Fields, invalid } from "./fault.js";

/** What is wrong with a request, and the change that it asks for. Until `change` is called, nothing has changed. */
export interface Validation<T> {
  readonly complaints: Fields;
  readonly change: () => Promise<T>;
}

/** Throws Fault `invalid` if there is any complaint. */
export function complain(fields: Fields): void {
  const complaints = Object.entries(fields).filter(([, about]) => about.length > 0);
  if (complaints.length > 0) throw invalid(Object.fromEntries(complaints));
}

/** Makes the change of a valid request. Fault `invalid` with all complaints about any other. */
export async function carryOut<T>({ complaints, change }: Validation<T>): Promise<T> {
  complain(complaints);
  return change();
}

export interface ValidateOnly {
  /** The gateway already knows that the request is invalid, and only asks what else is wrong with it. */
  readonly validateOnly: boolean;
}

type Handler<Request, Options, Response> = (request: Request, options: Options) => Promise<Response>;

const validating = new WeakSet<object>();

/** Returns a handler that makes the change only if the request is valid and the call may change something. */
export function validated<Request, Options extends ValidateOnly, Response>(
  validate: Handler<Request, Options, Validation<Response>>,
): Handler<Request, Options, Response> {
  const handler = async (request: Request, options: Options) => {
    const { complaints, change } = await validate(request, options);
    complain(complaints);
    if (options.validateOnly) throw invalid({});
    return change();
  };
  validating.add(handler);
  return handler;
}

/** Returns handlers of which only the `validated` ones run in a call that may change nothing. */
export function guardChanges<H extends object>(handlers: H): H {
  const guard = (handler: (request: unknown, options: ValidateOnly) => unknown) =>
    validating.has(handler)
      ? handler
      : (request: unknown, options: ValidateOnly) => {
          if (options.validateOnly) throw invalid({});
          return handler(request, options);
        };
  return Object.fromEntries(Object.entries(handlers).map(([name, handler]) => [name, guard(handler)])) as H;
}
