// Loaded before a service: sets its clock off by the milliseconds that CLOCKS_OFF names for it, `builds=-20000` for one.
const [, service] = /services\/(\w+)\//.exec(process.argv[1]) ?? [];
const off = Object.fromEntries((process.env.CLOCKS_OFF ?? "").split(",").map((one) => one.split("=")));
const offMs = Number(off[service] ?? 0);
const RealDate = Date;

globalThis.Date = class OffDate extends RealDate {
  constructor(...parts) {
    super(...(parts.length === 0 ? [RealDate.now() + offMs] : parts));
  }
  static now() {
    return RealDate.now() + offMs;
  }
};
// Services add the time since they began to this one.
Object.defineProperty(performance, "timeOrigin", { value: performance.timeOrigin + offMs });
