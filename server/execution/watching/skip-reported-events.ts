import type { RunEvent } from '#shared/run-event.ts';
import type { RecordedEvent } from '../history/recorded-event.ts';

type Observer = (event: RunEvent) => void;

/**
 * For a durable run that continues, which starts again from its beginning: skips events that were reported before; new
 * ones continue from the last number.
 */
export function skipReportedEvents(past: readonly RecordedEvent[], observe: Observer): Observer {
  const reported = new Map<string, number>();
  for (const { json } of past) {
    const key = keyOf(JSON.parse(json) as RunEvent);
    reported.set(key, (reported.get(key) ?? 0) + 1);
  }
  let seq = past.at(-1)?.seq ?? 0;
  return (event) => {
    const key = keyOf(event);
    const times = reported.get(key) ?? 0;
    if (times > 0) reported.set(key, times - 1);
    else observe({ ...event, seq: ++seq });
  };
}

/** The identity of an event across passes; its data may be written in another form. */
function keyOf(event: RunEvent): string {
  const { kind, node, attempt, port, count, text } = event as Partial<Record<string, unknown>>;
  return JSON.stringify([kind, node, attempt, port, count, text]);
}
