import { useState } from 'react';
import { Button } from '../ui/Button.tsx';
import { Tick } from '../ui/Tick.tsx';
import { ValueChange } from '../ui/ValueChange.tsx';

/** A text in which something was found, and what it would become. */
export interface Hit {
  readonly key: string;
  /** The node, or the flow. */
  readonly title: string;
  readonly place: string;
  readonly before: string;
  readonly after: string;
}

interface HitListProps {
  label: string;
  hits: readonly Hit[];
  /** Those that are not to be changed. */
  left: ReadonlySet<string>;
  onTurn(key: string): void;
}

const PAGE = 100;

/** The hits, each with its preview, to choose from. */
export function HitList({ label, hits, left, onTurn }: HitListProps) {
  const [most, setMost] = useState(PAGE);
  return (
    <>
      <ul aria-label={label} className="divide-y divide-line">
        {hits.slice(0, most).map((hit) => (
          <li key={hit.key} className="flex items-start gap-2 py-2">
            <Tick
              label={`Replace in ${hit.title}, ${hit.place}`}
              checked={!left.has(hit.key)}
              onCheckedChange={() => onTurn(hit.key)}
            />
            <div className="min-w-0 flex-1">
              <p className="truncate text-xs font-medium">
                <bdi>{hit.title}</bdi>
              </p>
              <ValueChange
                place={hit.place}
                before={around(hit.before, hit)}
                after={around(hit.after, hit)}
              />
            </div>
          </li>
        ))}
      </ul>
      {hits.length > most && (
        <Button size="sm" onClick={() => setMost(most + PAGE)}>
          Show {Math.min(PAGE, hits.length - most)} more of {hits.length.toLocaleString('en')}
        </Button>
      )}
    </>
  );
}

const AROUND = 60;
const LONGEST = 300;

/** The part of a long text that changes, with a little around it. */
function around(text: string, { before, after }: Hit): string {
  if (before.length <= LONGEST && after.length <= LONGEST) return text;
  let same = 0;
  while (same < before.length && before[same] === after[same]) same++;
  const from = Math.max(0, same - AROUND);
  const cut = text.slice(from, from + LONGEST);
  return `${from > 0 ? '…' : ''}${cut}${from + LONGEST < text.length ? '…' : ''}`;
}

/** The keys that are turned off, one of them turned round. */
export function turned(left: ReadonlySet<string>, key: string): ReadonlySet<string> {
  const next = new Set(left);
  if (!next.delete(key)) next.add(key);
  return next;
}
