/** Short texts for numbers and times, as in lists. */

/** `1 round`, `1,200 rounds`. */
export function countText(n: number, one: string, many = `${one}s`): string {
  return `${n.toLocaleString('en')} ${n === 1 ? one : many}`;
}

/** `40 rounds, 1 failed`. */
export function roundsText({ count, failed }: { readonly count: number; readonly failed: number }): string {
  return countText(count, 'round') + (failed > 0 ? `, ${failed.toLocaleString('en')} failed` : '');
}

/** `< 1 ms` (if measured in whole milliseconds), `0.8 ms`, `12 ms`, `3.4 s`, `2 min 5 s`, `5 h 2 min`, `3 d 4 h`. */
export function durationText(ms: number): string {
  if (ms === 0) return '< 1 ms';
  if (ms < 10) return `${Number(ms.toFixed(1))} ms`;
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${Number((ms / 1000).toFixed(1))} s`;
  const minutes = Math.floor(ms / 60_000);
  if (minutes >= 1440) return `${Math.floor(minutes / 1440)} d ${Math.floor(minutes / 60) % 24} h`;
  if (minutes >= 60) return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

const UNITS: readonly [ms: number, name: Intl.RelativeTimeFormatUnit][] = [
  [86_400_000, 'day'],
  [3_600_000, 'hour'],
  [60_000, 'minute'],
];
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'short' });

/** `just now`, `5 min. ago`, `yesterday`; the date after a month. */
export function agoText(at: number | string, now = Date.now()): string {
  const time = typeof at === 'number' ? at : Date.parse(at);
  const past = now - time;
  if (past < 60_000) return 'just now';
  if (past > 30 * 86_400_000) return new Date(time).toLocaleDateString();
  const [size, name] = UNITS.find(([ms]) => past >= ms) ?? [60_000, 'minute'];
  return relative.format(-Math.floor(past / size), name);
}

/** `in 5 min.`, `in 3 hr.`, `tomorrow`; the date after a month. What is due now is soon. */
export function untilText(at: number | string, now = Date.now()): string {
  const time = typeof at === 'number' ? at : Date.parse(at);
  const left = time - now;
  if (left < 60_000) return 'soon';
  if (left > 30 * 86_400_000) return new Date(time).toLocaleDateString();
  const [size, name] = UNITS.find(([ms]) => left >= ms) ?? [60_000, 'minute'];
  return relative.format(Math.floor(left / size), name);
}

/** `14:03:59.123`, in this computer's zone. */
export function clockText(at: number): string {
  const date = new Date(at);
  const two = (n: number): string => String(n).padStart(2, '0');
  const ms = String(date.getMilliseconds()).padStart(3, '0');
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}.${ms}`;
}

export function bytesText(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${Number((bytes / 1000).toFixed(1))} kB`;
  return `${Number((bytes / 1_000_000).toFixed(1))} MB`;
}
