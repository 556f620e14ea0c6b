import { agoText } from './format.ts';

/** A time in words, with the whole of it on hover. */
export function Moment({ at, otherwise = '' }: { at: string | number | undefined; otherwise?: string }) {
  if (at === undefined) return otherwise;
  const time = new Date(at);
  return (
    <time dateTime={time.toISOString()} title={time.toLocaleString()}>
      {agoText(at)}
    </time>
  );
}
