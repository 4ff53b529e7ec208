import { moment } from "../../format.js";

interface Series {
  readonly name: string;
  /** One value for each time; null where there is none. */
  readonly values: readonly (number | null)[];
}

interface ChartProps {
  readonly title: string;
  /** Beginnings of periods, in milliseconds since 1970. */
  readonly times: readonly number[];
  /** Length of a period. */
  readonly stepMs: number;
  /** Range of the time axis. */
  readonly span: { readonly from: number; readonly to: number };
  readonly series: readonly Series[];
  readonly format: (value: number) => string;
}

const width = 600;
const height = 120;
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: "short" });

/** A line chart with a step for each period. The table below has the same numbers. */
export function Chart({ title, times, stepMs, span, series, format }: ChartProps) {
  const { from, to } = span;
  const most = Math.max(1, ...series.flatMap(({ values }) => values.map((value) => value ?? 0)));
  const placeOf = (time: number) => (Math.max(0, Math.min(1, (time - from) / (to - from))) * width).toFixed(1);
  /** Returns the path of a line. It breaks where values are missing. */
  const pathOf = (values: Series["values"]): string => {
    let path = "";
    for (const [at, time] of times.entries()) {
      const value = values[at] ?? null;
      if (value === null) continue;
      const follows = at > 0 && (values[at - 1] ?? null) !== null && time - times[at - 1]! <= stepMs;
      path += `${follows ? "L" : "M"}${placeOf(time)} ${(height - (value / most) * height).toFixed(1)}`;
      path += `H${placeOf(time + stepMs)}`;
    }
    return path;
  };
  return (
    <figure class="chart">
      <figcaption>{title}</figcaption>
      <ul class="legend">
        {series.map(({ name, values }, at) => (
          <li key={name} class={`series-${at}`}>
            {`${name}: ${latest(values, format)}`}
          </li>
        ))}
      </ul>
      <div class="plot">
        <span class="quiet">{format(most)}</span>
        <svg viewBox={`0 -4 ${width} ${height + 8}`} preserveAspectRatio="none" aria-hidden="true">
          <path class="axis" d={`M0 ${height}H${width}M0 0H${width}`} />
          {series.map(({ name, values }, at) => (
            <path key={name} class={`line-${at}`} d={pathOf(values)} />
          ))}
        </svg>
        <span class="quiet times">
          <span>{clock.format(from)}</span>
          <span>{clock.format(to)}</span>
        </span>
      </div>
      <Numbers times={times} series={series} format={format} />
    </figure>
  );
}

function latest(values: Series["values"], format: ChartProps["format"]): string {
  const known = values.filter((value) => value !== null);
  const last = known.at(-1);
  return last === undefined ? "none" : `${format(last)}, at most ${format(Math.max(...known))}`;
}

const Numbers = ({ times, series, format }: Pick<ChartProps, "times" | "series" | "format">) => (
  <details>
    <summary>Numbers</summary>
    <table>
      <thead>
        <tr>
          <th scope="col">Time</th>
          {series.map(({ name }) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {times.map((time, at) => (
          <tr key={time}>
            <th scope="row">{moment(new Date(time).toISOString())}</th>
            {series.map(({ name, values }) => {
              const value = values[at] ?? null;
              return <td key={name}>{value === null ? "none" : format(value)}</td>;
            })}
          </tr>
        ))}
      </tbody>
    </table>
  </details>
);
