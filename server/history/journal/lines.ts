import type { RecordedEvent } from '../recorded-event.ts';

/** Events as one text: a line each with its number, a space and its JSON, which never contains a line break. */
export function writeLines(events: readonly RecordedEvent[]): string {
  let text = '';
  for (const { seq, json } of events) text += `${seq} ${json}\n`;
  return text;
}

/** Those with a number above `after`. */
export function readLines(text: string, after: number): RecordedEvent[] {
  const events: RecordedEvent[] = [];
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const blank = line.indexOf(' ');
    const seq = Number(line.slice(0, blank));
    if (seq > after) events.push({ seq, json: line.slice(blank + 1) });
  }
  return events;
}
