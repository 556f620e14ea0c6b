import { type LucideIcon, Minus, Plus } from 'lucide-react';

interface ValueChangeProps {
  /** The path: `params.template`, `out.items[0]`. */
  place: string;
  before: unknown;
  after: unknown;
  /** Names of the two sides. */
  sides?: readonly [before: string, after: string];
}

/** A value before and after, one below the other so that they can be compared letter by letter. */
export function ValueChange({ place, before, after, sides = ['before', 'after'] }: ValueChangeProps) {
  return (
    <div className="min-w-0">
      <code className="font-mono text-[11px] text-text-2">{place}</code>
      <Side icon={Minus} words={sides[0]} value={before} tone="bg-bad-soft text-bad" />
      <Side icon={Plus} words={sides[1]} value={after} tone="bg-ok-soft text-ok" />
    </div>
  );
}

interface SideProps {
  icon: LucideIcon;
  words: string;
  value: unknown;
  tone: string;
}

function Side({ icon: Icon, words, value, tone }: SideProps) {
  return (
    <p className={`flex items-baseline gap-1.5 px-1.5 py-0.5 first-of-type:rounded-t last:rounded-b ${tone}`}>
      <Icon aria-hidden className="mt-0.5 size-3 shrink-0 self-start" />
      <span className="w-14 shrink-0 text-[11px]">{words}</span>
      <code className="min-w-0 flex-1 font-mono text-xs wrap-anywhere whitespace-pre-wrap">
        {valueText(value)}
      </code>
    </p>
  );
}

const LONGEST = 2000;

function valueText(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = typeof value === 'string' ? JSON.stringify(value) : JSON.stringify(value, null, 1);
  return text.length > LONGEST
    ? `${text.slice(0, LONGEST)}… (${text.length.toLocaleString('en')} characters)`
    : text;
}
