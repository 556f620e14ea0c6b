import { agoText } from './format.ts';

interface MomentProps {
  readonly at: string | number | undefined;
  /** Of a page that counts on; otherwise of now. */
  readonly now?: number | undefined;
  readonly otherwise?: string;
}

/** A time in words, with the whole of it on hover. */
export function Moment({ at, now, otherwise = '' }: MomentProps) {
  if (at === undefined) return otherwise;
  const time = new Date(at);
  return (
    <time dateTime={time.toISOString()} title={time.toLocaleString()}>
      {agoText(at, now)}
    </time>
  );
}
